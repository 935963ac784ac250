#!/usr/bin/env python3
"""disguise.py CASES FOLDER...: every case of the folders is answered the same however its
text was pasted: with Windows line ends, colours, a byte order mark, mail's quotation marks,
indents, prompts, fences of Markdown, other host names. CASES is the program that holds
answers against what is expected."""
import os
import re
import shutil
import subprocess
import sys
import tempfile


def of_lines(change):
    def apply(text):
        return '\n'.join(line if re.fullmatch('== .* ==', line) or not line else change(line)
                         for line in text.split('\n'))
    return apply


def renamed(text):
    return re.sub(r'(?<![A-Za-z0-9])host([A-D])(?![A-Za-z0-9])', r'gpu-node-01\1.dc1.example', text)


PROMPT = '\n[root@node-7 ~]# '
DISGUISES = {
    'windows': lambda text: text.replace('\n', '\r\n'),
    'blanks behind': of_lines(lambda line: line + ' \t '),
    'colours': of_lines(lambda line: '\033[0;32m' + line + '\033[0m'),
    'colour of grep': of_lines(
        lambda line: re.sub(r'(\S+)$', '\033[01;31m\033[K\\1\033[m\033[K', line)),
    'byte order mark': lambda text: '\ufeff' + text,
    'blank lines': lambda text: re.sub(r'\n== ', '\n\n\n== ', text) + '\n\n',
    'no-break blanks': of_lines(lambda line: line.replace('  ', '\u00a0 ')),
    'tabs as blanks': of_lines(lambda line: line.expandtabs(8)),
    'indent': of_lines(lambda line: '    ' + line),
    'quoted': lambda text: '> ' + text.rstrip('\n').replace('\n', '\n> ') + '\n',
    'fences': lambda text: re.sub(r'(?m)^(== .* ==)$', r'```\n\1\n```text', text),
    'prompts': lambda text: re.sub(r'(?m)^== (\w+): (.*) ==$',
                                   r'== \1: \2 ==\n[root@\1 ~]# \2', text),
    'prompts behind': lambda text: text.replace('\n== ', PROMPT + '\n== '),
    'other names': renamed,
}


def read(folders):
    """[name, text, what is expected] of every case."""
    cases = []
    for folder in folders:
        for case in sorted(os.listdir(folder)):
            here = os.path.join(folder, case)
            if os.path.exists(os.path.join(here, 'input.txt')):
                with open(os.path.join(here, 'input.txt'), encoding='utf-8', newline='') as file:
                    text = file.read()
                with open(os.path.join(here, 'expected.txt'), encoding='utf-8') as file:
                    cases.append([os.path.basename(folder) + '-' + case, text, file.read()])
    return cases


def write(path, text):
    with open(path, 'w', encoding='utf-8', newline='') as out:
        out.write(text)


def disguise(name, cases, there):
    """The cases in this disguise, in the folders that were made for them."""
    for case, text, wanted in cases:
        here = os.path.join(there, case)
        if name == 'other names':
            # "hostA-hostB" is one pair to people, and cannot be told from a name.
            # A list of names without a title says of none that it is a host.
            if re.search(r'host[A-D]-host|^host[A-D] \w+ mtu', text, re.M):
                shutil.rmtree(here)
                continue
            write(os.path.join(here, 'expected.txt'), renamed(wanted))
        write(os.path.join(here, 'input.txt'), DISGUISES[name](text))


def main():
    failed = 0
    cases = read(sys.argv[2:])
    with tempfile.TemporaryDirectory() as there:
        for case, _, wanted in cases:
            os.mkdir(os.path.join(there, case))
            write(os.path.join(there, case, 'expected.txt'), wanted)
        for name in DISGUISES: # the last of them takes cases away
            disguise(name, cases, there)
            said = subprocess.run([sys.argv[1], there], capture_output=True, text=True,
                                  check=False)
            if not cases or said.returncode:
                print(f'{name}:\n{said.stdout}')
                failed = 1
    sys.exit(failed)


main()
