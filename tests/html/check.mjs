// check.mjs CHROMIUM FILE...: opens each report in headless Chromium, light and dark, and
// asks: no error on the console, no request to anywhere, every chart drawn, findings that
// the keyboard reaches, pages to print, and nothing that axe calls a barrier. With
// --shots FOLDER it leaves pictures as FOLDER/NAME-light.png and -dark.png.
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import puppeteer from 'puppeteer-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const args = process.argv.slice(2);
const chromium = args.shift();
const shots = args[0] === '--shots' ? args.splice(0, 2)[1] : null;
const OPEN_MS = 20000; // on a machine that does much else; without that it is below 2000
let failed = 0;

function check(file, truth, sentence) {
  if (truth) return;
  console.log(`${path.basename(file)}: ${sentence}`);
  failed = 1;
}

// What the page shows of its charts: how many are there, and which are empty.
function lookAtCharts() {
  const figures = [...document.querySelectorAll('.chart')];
  const charts = window.weftCharts || [];
  return {
    figures: figures.length,
    drawn: charts.length,
    // A chart without figures says so in words.
    silent: figures.filter((figure) => !figure.querySelector('svg, canvas') &&
      !figure.textContent.includes('No stage of this run')).map((figure) => figure.id),
    empty: charts.filter(({ chart }) => {
      const series = chart.getOption().series || [];
      return !series.some((one) => one.data && one.data.length);
    }).map(({ id }) => id),
    blank: [...document.querySelectorAll('.plot svg')].filter((svg) =>
      svg.querySelectorAll('path').length < 3).length,
  };
}

async function checkCharts(page, file) {
  const seen = await page.evaluate(lookAtCharts);
  check(file, seen.figures > 0, 'no chart at all');
  check(file, !seen.silent.length, `neither drawn nor explained: ${seen.silent}`);
  check(file, !seen.empty.length, `drawn without data: ${seen.empty}`);
  check(file, !seen.blank, `${seen.blank} charts have next to no strokes`);
  console.log(`${path.basename(file)}: ${seen.drawn} of ${seen.figures} charts drawn`);
}

// The cells of the surface of bursts against FILE.cells.json, which has of each stage of the
// burst layer [highest queue, CE, XOFF, drops] as the run file has them; null: no counters.
function lookAtSurface() {
  const entry = (window.weftCharts || []).find(({ id }) => id === 'surface');
  if (!entry) return null;
  return {
    cells: entry.chart.getOption().series.flatMap((series) => series.data.map((item) =>
      ({ name: item.name, value: item.value, text: item.label.formatter }))),
    words: [...document.querySelectorAll('#c-surface svg text, #c-surface svg tspan')]
      .map((one) => one.textContent),
    rows: [...document.querySelectorAll('#bursts tbody tr')].map((row) =>
      row.cells[0].textContent),
    width: document.querySelector('#c-surface .plot').clientWidth,
    buffer: JSON.parse(document.getElementById('data').textContent).surface.buffer,
  };
}

function cellText(expected, buffer) {
  if (!expected) return 'not\nmeasured';
  const [peak, ce, xoff, drops] = expected;
  const seen = [ce && 'marked', xoff && 'paused', drops && 'dropped'].filter(Boolean);
  return [`${Math.round(1000 * peak / buffer) / 10} %`, ...(seen.length ? seen : ['none'])]
    .join('\n');
}

async function checkSurface(page, file) {
  const expected = file.replace(/html$/, 'cells.json');
  const seen = await page.evaluate(lookAtSurface);
  if (!existsSync(expected)) {
    check(file, !seen, 'draws a surface of bursts that it does not have');
    return;
  }
  const stages = JSON.parse(readFileSync(expected, 'utf8'));
  const names = Object.keys(stages).sort();
  check(file, seen, 'no surface of bursts');
  if (!seen) return;
  check(file, names.length === 10, `${names.length} stages of bursts in the run`);
  check(file, String(seen.cells.map(({ name }) => name).sort()) === String(names) &&
    String(seen.rows.sort()) === String(names), 'chart, table and run differ in their bursts');
  check(file, new Set(seen.cells.map(({ value }) => `${value[0]} ${value[1]}`)).size ===
    names.length, 'two bursts in one cell');
  seen.cells.forEach(({ name, text }) => check(file,
    text === cellText(stages[name], seen.buffer), `${name} shows ${text}, the run has ${
      stages[name]}`));
  check(file, seen.words.some((word) => / of the buffer$/.test(word)) ===
    Object.values(stages).some(Boolean), 'a scale of colours without a colour, or none for them');
  check(file, seen.width > 500, `the surface is ${seen.width} pixels wide`);
  const drawn = seen.words.filter((word) => /^(\d.* %|measured)$/.test(word)).length;
  check(file, drawn >= names.length, `${drawn} of ${names.length} cells have words`);
  console.log(`${path.basename(file)}: ${seen.cells.length} cells of bursts as in the run`);
}

// Tab goes through the page; the numbered links of the header come early, and Enter on
// the first moves to its finding.
async function checkKeyboard(page, file) {
  const numbers = await page.$$eval('li[id^=f]', (all) => all.map((one) => one.id));
  const reached = new Set();
  await page.evaluate(() => document.body.focus());
  for (let i = 0; i < 400 && reached.size < numbers.length; i++) {
    await page.keyboard.press('Tab');
    const href = await page.evaluate(() => document.activeElement.getAttribute('href') || '');
    if (/^#f\d+$/.test(href)) reached.add(href.slice(1));
    if (reached.size === 1 && href === `#${numbers[0]}`) {
      await page.keyboard.press('Enter');
      const at = await page.evaluate(() => document.querySelector(':target') &&
        document.querySelector(':target').id);
      check(file, at === numbers[0], `Enter on ${href} led to ${at}`);
      await page.evaluate((first) => document.querySelector(`a[href="#${first}"]`).focus(),
        numbers[0]);
    }
  }
  check(file, reached.size === numbers.length,
    `the keyboard reached ${reached.size} of ${numbers.length} findings`);
  const silent = await page.$$eval('li[id^=f]', (all) => all.filter((one) =>
    !one.querySelector('h3') || !one.textContent.includes('limit')).map((one) => one.id));
  check(file, !silent.length, `findings without heading or limit: ${silent}`);
}

async function checkAxe(page, file, theme) {
  await page.addScriptTag({ path: axe });
  const violations = await page.evaluate(async () =>
    (await window.axe.run(document)).violations.map((one) => `${one.id}: ` +
      one.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(' | ')));
  check(file, !violations.length, `axe, ${theme}: ${violations.join('\n  ')}`);
}

// Words in a chart that lie on each other, and what of its events stands in the chart itself,
// where it would hide the lines.
function lookAtWords() {
  const found = { covered: [], hiding: [] };
  document.querySelectorAll('.plot svg').forEach((svg) => {
    const { id } = svg.closest('.chart');
    const texts = [...svg.querySelectorAll('text')].filter((one) => one.textContent.trim())
      .map((one) => ({ words: one.textContent, box: one.getBoundingClientRect() }));
    texts.forEach((one, i) => texts.slice(i + 1).forEach((other) => {
      const wide = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
      const high = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
      if (wide > 3 && high > 3) found.covered.push(`${id}: "${one.words}" and "${other.words}"`);
    }));
    found.hiding.push(...texts.filter(({ words }) => /^first |^injected/.test(words))
      .map(({ words }) => `${id}: "${words}"`));
  });
  return found;
}

async function checkWords(page, file, width) {
  const seen = await page.evaluate(lookAtWords);
  check(file, !seen.covered.length, `words lie on each other at ${width}: ${
    seen.covered.slice(0, 5).join('; ')}`);
  check(file, !seen.hiding.length, `events hide lines at ${width}: ${seen.hiding.join('; ')}`);
}

// Each number in a chart has its words above it, and so has what was broken from the start.
async function checkEvents(page, file) {
  const seen = await page.evaluate(() => ['goodput', 'queue'].flatMap((id) => {
    const entry = (window.weftCharts || []).find((one) => one.id === id);
    const figure = document.getElementById(`c-${id}`);
    if (!entry) return [];
    return [{ id, marks: entry.chart.getOption().series.flatMap((one) =>
      one.markLine ? one.markLine.data.map((mark) => mark.label.formatter) : []),
    told: [...figure.querySelectorAll('.events b')].map((one) => one.textContent).filter(Boolean),
    words: figure.textContent }];
  }));
  seen.forEach(({ id, marks, told, words }) => {
    check(file, String(marks) === String(told), `${id} marks ${marks} and tells of ${told}`);
    if (/faulty|skipped/.test(file))
      check(file, /injected.*loss leaf1:5-spine1:1/.test(words), `${id} tells of no fault`);
  });
  if (/faulty/.test(file))
    check(file, seen.some(({ told }) => told.length), 'no event is told of');
}

// On a telephone nothing is wider than the screen, no row is squeezed high, and the heading is
// not squeezed beside the verdict.
async function checkNarrow(page, file) {
  await page.setViewport({ width: 390, height: 844 });
  const seen = await page.evaluate(() => ({
    page: document.documentElement.scrollWidth,
    title: document.querySelector('h1').parentElement.clientWidth,
    high: Math.max(...[...document.querySelectorAll('.scroll tr')].map((row) => row.offsetHeight)),
  }));
  await checkWords(page, file, 390);
  check(file, seen.high < 160, `has a row of ${seen.high} pixels in a table`);
  check(file, seen.page <= 390, `is ${seen.page} pixels wide on a screen of 390`);
  check(file, seen.title > 300, `leaves ${seen.title} of 390 pixels to its heading`);
}

// Every link leads somewhere; a report without failures leads to what is unknown.
async function checkLinks(page, file) {
  const seen = await page.evaluate(() => ({
    dead: [...document.querySelectorAll('a[href^="#"]')].map((one) => one.getAttribute('href').slice(1))
      .filter((id) => !document.getElementById(id)),
    verdict: document.querySelector('.verdict').textContent,
    doubts: !!document.querySelector('header a[href="#unknown"]'),
    before: [...document.querySelectorAll('section')].map((one) => one.id)
      .filter((id) => id === 'unknown' || id === 'layers')[0],
  }));
  check(file, !seen.dead.length, `links to nothing: ${seen.dead}`);
  if (seen.verdict === 'UNKNOWN')
    check(file, seen.doubts && seen.before === 'unknown', 'does not begin with what is unknown');
}

async function checkFile(browser, file, theme) {
  const page = await browser.newPage();
  const name = path.basename(file).replace(/\.html$/, '');
  const began = performance.now();

  page.on('console', (message) => check(file, false, `console: ${message.text()}`));
  page.on('pageerror', (error) => check(file, false, `script: ${error.message}`));
  page.on('request', (request) => check(file, /^(file|data|blob):/.test(request.url()),
    `asks for ${request.url()}`));
  await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: theme }]);
  await page.setViewport({ width: 1400, height: 950 });
  await page.goto(pathToFileURL(file).href, { waitUntil: 'load' });
  const opened = performance.now() - began;
  const { TaskDuration: busy } = await page.metrics();
  check(file, opened < OPEN_MS, `took ${Math.round(opened)} ms to open`);
  console.log(`${name}, ${theme}: open in ${Math.round(opened)} ms, of it ${
    Math.round(busy * 1000)} ms of work, ${statSync(file).size} bytes`);
  check(file, await page.evaluate(() => document.documentElement.dataset.theme) === theme,
    `is not ${theme} where the system is`);
  if (shots) await page.screenshot({ path: path.join(shots, `${name}-${theme}.png`) });
  await checkCharts(page, file);
  await checkSurface(page, file);
  await checkWords(page, file, 1400);
  await checkEvents(page, file);
  await checkAxe(page, file, theme);
  if (theme === 'light') {
    await checkKeyboard(page, file);
    await checkLinks(page, file);
    const pdf = await page.pdf({ format: 'A4', timeout: 0, path: shots ? path.join(shots, `${name}.pdf`) :
      undefined });
    check(file, pdf.length > 10000, 'prints next to nothing');
    await checkNarrow(page, file);
  }
  await page.close();
}

const profile = mkdtempSync(path.join(tmpdir(), 'weft-html-'));
const browser = await puppeteer.launch({ executablePath: chromium, pipe: true,
  userDataDir: profile, args: ['--no-sandbox', '--disable-gpu'] });
try {
  for (const file of args) {
    await checkFile(browser, file, 'light');
    await checkFile(browser, file, 'dark');
  }
} finally {
  await browser.close();
  rmSync(profile, { recursive: true, force: true });
}
process.exit(failed);
