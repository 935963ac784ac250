#!/usr/bin/env python3
"""disguise.py CASES FOLDER...: every case of the folders is answered the same however its
text was pasted: with Windows line ends, colours, a byte order mark, mail's quotation marks,
indents, prompts, fences of Markdown, other host names. CASES is the program that holds
answers against what is expected."""
import os
import re
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


def disguise(name, folders, there):
    count = 0
    for folder in folders:
        for case in sorted(os.listdir(folder)):
            here = os.path.join(folder, case)
            if not os.path.exists(os.path.join(here, 'input.txt')):
                continue
            text = open(os.path.join(here, 'input.txt'), encoding='utf-8', newline='').read()
            wanted = open(os.path.join(here, 'expected.txt'), encoding='utf-8').read()
            if name == 'other names':
                # "hostA-hostB" is one pair to people, and cannot be told from a name.
                # A list of names without a title says of none that it is a host.
                if re.search(r'host[A-D]-host|^host[A-D] \w+ mtu', text, re.M):
                    continue
                wanted = renamed(wanted)
            new = os.path.join(there, os.path.basename(folder) + '-' + case)
            os.mkdir(new)
            with open(os.path.join(new, 'input.txt'), 'w', encoding='utf-8', newline='') as out:
                out.write(DISGUISES[name](text))
            with open(os.path.join(new, 'expected.txt'), 'w', encoding='utf-8') as out:
                out.write(wanted)
            count += 1
    return count


def main():
    failed = 0
    for name in DISGUISES:
        with tempfile.TemporaryDirectory() as there:
            count = disguise(name, sys.argv[2:], there)
            said = subprocess.run([sys.argv[1], there], capture_output=True, text=True,
                                  check=False)
            if count == 0 or said.returncode:
                print(f'{name}:\n{said.stdout}')
                failed = 1
    sys.exit(failed)


main()
