"""formats.py FILE.junit...: each is XML whose totals are those of its cases, whose skipped
cases have a reason and whose names differ, with as many cases as the JSON beside it has
findings; the metrics beside it repeat no series.
formats.py FILE.json TABLE.csv...: each table has the rows of the JSON's, cell by cell."""
import csv
import json
import sys
import xml.etree.ElementTree as xml

failed = 0


def check(truth, sentence):
    global failed
    if not truth:
        print(sentence)
        failed = 1


def check_junit(path):
    root = xml.parse(path).getroot()
    document = json.load(open(path.replace('.junit', '.json'), encoding='utf-8'))
    cases = root.findall('testsuite/testcase')
    totals = {'tests': len(cases), 'failures': len(root.findall('.//failure')),
              'skipped': len(root.findall('.//skipped')), 'errors': 0}
    cut = 0 if document['complete'] else 1
    verdicts = [finding['verdict'] for finding in document['findings']]

    for element in [root] + root.findall('testsuite'):
        for key, total in totals.items():
            check(int(element.get(key)) == total, f'{path}: {key} is not {total}')
    check(len(cases) == len(verdicts) + cut, f'{path}: {len(cases)} cases')
    check(totals['failures'] == verdicts.count('fail'), f'{path}: failures')
    check(totals['skipped'] == verdicts.count('unknown') + cut, f'{path}: skipped')
    names = {(case.get('classname'), case.get('name')) for case in cases}
    check(len(names) == len(cases), f'{path}: two cases have one name')
    check(all(one.get('message') for one in root.findall('.//skipped')),
          f'{path}: skipped without a reason')


def check_metrics(path):
    series = [line.rsplit(' ', 1)[0] for line in open(path, encoding='utf-8')
              if not line.startswith('#')]
    check(len(series) == len(set(series)), f'{path}: a series is there twice')
    check(open(path, encoding='utf-8').read().endswith('# EOF\n'), f'{path}: no end')


def cell_of(value):
    if value is None:
        return ''
    if isinstance(value, bool):
        return 'true' if value else 'false'
    return value


def same(cell, value):
    if isinstance(value, float):
        return abs(float(cell) - value) <= 1e-9 * abs(value)
    return cell == str(cell_of(value)) or cell == "'" + str(value)


def check_table(path, document):
    rows = list(csv.reader(open(path, encoding='utf-8', newline='')))
    wanted = document.get(path.replace('.csv', ''))

    check(all(len(row) == len(rows[0]) for row in rows), f'{path}: rows differ in length')
    if wanted is None:
        return
    check(len(rows) == (len(wanted) + 1 if wanted else 0), f'{path}: {len(rows)} lines')
    for row, record in zip(rows[1:], wanted):
        for key, cell in zip(rows[0], row):
            value = record
            for part in key.split('.'):
                value = value.get(part) if value else None
            check(same(cell, value), f'{path}: {key} is {cell}, not {value}')


if sys.argv[1].endswith('.junit'):
    for name in sys.argv[1:]:
        check_junit(name)
        check_metrics(name.replace('.junit', '.openmetrics'))
else:
    for name in sys.argv[2:]:
        check_table(name, json.load(open(sys.argv[1], encoding='utf-8')))
sys.exit(failed)
