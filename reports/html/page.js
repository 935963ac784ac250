// The report's page: theme, what the cables of the drawing show, and the charts. The
// figures are in the script element "data"; reports/html_data.c says what they mean.
(function () {
  'use strict';
  const root = document.documentElement;
  const data = JSON.parse(document.getElementById('data').textContent);
  const charts = []; // { id, chart, option }
  const chosen = {}; // of each group of charts, the index of the stage that it shows

  function colour(name) {
    return getComputedStyle(root).getPropertyValue('--' + name).trim();
  }

  // --- theme, drawing, printing ---

  function setTheme(theme) {
    root.dataset.theme = theme;
    redraw();
  }

  document.getElementById('theme').addEventListener('click', function () {
    setTheme(root.dataset.theme === 'dark' ? 'light' : 'dark');
  });
  document.querySelectorAll('input[name=view]').forEach(function (input) {
    input.addEventListener('change', function () {
      document.getElementById('drawing').dataset.view = input.value;
    });
  });

  let themeBefore = null;
  window.addEventListener('beforeprint', function () {
    themeBefore = root.dataset.theme;
    document.querySelectorAll('details').forEach(function (details) { details.open = true; });
    charts.forEach(function (entry) { entry.chart.resize({ width: 680 }); });
    setTheme('light');
  });
  window.addEventListener('afterprint', function () {
    setTheme(themeBefore || 'light');
    resize();
  });

  // --- what all charts have in common ---

  // Counts from 0 to millions on one axis: 0 at 0, 1 at 1, 10 at 2, 100 at 3.
  function squeeze(count) {
    return count === null || count === undefined ? null : count > 0 ? Math.log10(count) + 1 : 0;
  }

  function unsqueezed(value) {
    if (value <= 0) return '0';
    const power = value - 1;
    return power < 4 ? String(Math.pow(10, power)) : '1e' + power;
  }

  function round(value) {
    return Math.round(value * 100) / 100;
  }

  function axis(extra) {
    return Object.assign({
      axisLine: { lineStyle: { color: colour('dim') } },
      axisLabel: { color: colour('dim'), hideOverlap: true, lineHeight: 15 },
      splitLine: { lineStyle: { color: colour('rule') } },
      nameTextStyle: { color: colour('dim') },
    }, extra);
  }

  // The name of an upright axis stands beside it, so that the legend above has its room.
  function upright(extra) {
    return axis(Object.assign({ nameGap: 9,
      nameTextStyle: { color: colour('dim'), align: 'right', padding: [0, 6, 0, 0] } }, extra));
  }

  function base(extra) {
    return Object.assign({
      animation: false,
      textStyle: { fontFamily: getComputedStyle(document.body).fontFamily },
      grid: { left: 64, right: 20, top: 44, bottom: 66 },
      legend: { type: 'scroll', top: 4, textStyle: { color: colour('ink') },
        pageTextStyle: { color: colour('ink') } },
      tooltip: { trigger: 'axis', renderMode: 'richText', confine: true },
      dataZoom: [
        { type: 'inside', zoomOnMouseWheel: 'shift', filterMode: 'none' },
        { type: 'slider', height: 16, bottom: 6, filterMode: 'none',
          textStyle: { color: colour('dim') } },
      ],
    }, extra);
  }

  const lines = { calm: 'u3', low: 'w2', high: 'dim', bad: 'bad', doubt: 'doubt', named: 'inject' };

  function line(name, kind, points, extra) {
    return Object.assign({
      name: name, type: 'line', data: points, color: colour(lines[kind]), showSymbol: false,
      symbol: 'circle',
      lineStyle: { width: kind === 'bad' ? 2.4 : 1.6 }, emphasis: { disabled: true },
    }, extra);
  }

  function pairs(flat) {
    const points = [];
    for (let i = 0; i < flat.length; i += 2) points.push([flat[i], flat[i + 1]]);
    return points;
  }

  // --- over all stages ---

  const ran = data.stages.filter(function (stage) { return stage.ran; });

  function overStages(series, yAxis, format) {
    return base({
      tooltip: { trigger: 'axis', renderMode: 'richText', confine: true, valueFormatter: format },
      xAxis: axis({ type: 'category', data: ran.map(function (s) { return s.name; }) }),
      yAxis: upright(yAxis),
      series: series,
    });
  }

  function ratesOption() {
    function of(key) { return ran.map(function (s) { return s.packets ? s[key] : null; }); }
    const dots = { showSymbol: true, symbolSize: 5 };
    return overStages([
      line('slowest flow', 'low', of('least'), dots),
      line('median flow', 'calm', of('median'), dots),
      line('fastest flow', 'high', of('most'), dots),
    ], { type: 'value', name: 'Gb/s', min: 0 });
  }

  // Lines of counts over rows; the tooltip tells the true ones.
  const counted = [['drops', 'drops', 'bad'], ['resent', 'resent', 'low'],
    ['xoff', 'PFC XOFF', 'doubt'], ['ce', 'CE marks', 'calm']];

  function countLines(rows) {
    return counted.map(function (what) {
      return line(what[1], what[2], rows.map(function (row) { return squeeze(row[what[0]]); }),
        { showSymbol: true, symbolSize: 5 });
    });
  }

  function exact(value) {
    if (value === null || value === undefined) return 'not counted';
    return value > 0 ? Math.round(Math.pow(10, value - 1)).toLocaleString('en') : '0';
  }

  const squeezedAxis = { type: 'value', name: 'count', min: 0, minInterval: 1,
    axisLabel: { formatter: unsqueezed } };

  function withColour(yAxis) {
    return Object.assign({}, yAxis,
      { axisLabel: Object.assign({ color: colour('dim') }, yAxis.axisLabel) });
  }

  function countsOption() {
    return overStages(countLines(ran), withColour(squeezedAxis), exact);
  }

  // --- onset: what grows with the number of senders, or the size of a burst ---

  function onset(rows, label) {
    const option = overStages(countLines(rows), withColour(squeezedAxis), exact);
    option.xAxis.data = rows.map(label);
    option.xAxis.axisLabel.hideOverlap = false;
    option.dataZoom = [];
    return option;
  }

  function ofKind(kind) {
    return data.onset.filter(function (row) { return row.kind === kind; });
  }

  function incast(kind) {
    const rows = ofKind(kind).sort(function (a, b) { return a.n - b.n; });
    return onset(rows, function (row) {
      return row.n + ':1\n' + row.name.replace(/-(not-)?ect$/, '');
    });
  }

  function bursts() {
    return ran.filter(function (stage) { return stage.layer === 'burst'; });
  }

  // "8 bursts of 16 x 12 KiB, one each 10 us": the size of a burst is what grows.
  function burstOption() {
    return onset(bursts(), function (stage) {
      const size = /bursts of ([^,]*), one each (.*)/.exec(stage.note);
      return size ? size[1].replace(' x ', ' x\n') + '\n/ ' + size[2] : stage.name;
    });
  }

  // --- the surface: a column for each size of a burst, a row for each gap ---

  // What bursts provoked, least harm first.
  function provoked(stage) {
    const words = [];
    if (stage.ce) words.push('marked');
    if (stage.xoff) words.push('paused');
    if (stage.drops) words.push('dropped');
    return words.length ? words : [stage.xoff === null || stage.drops === null ? '?' : 'none'];
  }

  function share(bytes) {
    return Math.round(1000 * bytes / data.surface.buffer) / 10;
  }

  function kib(bytes) {
    return Math.round(bytes / 1024).toLocaleString('en') + ' KiB';
  }

  function cellHover(cell) {
    const stage = data.stages[cell.stage];
    const size = data.surface.sizes[cell.size].replace('\n', ' ');
    const lines = [stage.name + ': ' + size + ', one each ' + cell.each];
    if (cell.why) return lines.concat('not measured: ' + cell.why).join('\n');
    return lines.concat(
      'highest queue ' + kib(stage.peak) + ', ' + share(stage.peak) + ' % of ' +
        kib(data.surface.buffer),
      ['ce', 'xoff', 'drops'].map(function (key, i) {
        return ['CE marks ', 'PFC XOFF ', 'drops '][i] + (stage[key] === null ? 'not counted' :
          stage[key].toLocaleString('en'));
      }).join(', '),
      'from: ' + (data.surface.simulated ? 'simulated ' : '') + 'watermarks of egress queues',
      'limit: policy.buffer of the fabric file').join('\n');
  }

  function cellSeries(cells, type, label, words, extra) {
    return Object.assign({
      type: type, data: cells.map(function (cell) {
        const stage = data.stages[cell.stage];
        return { name: stage.name, value: [cell.size, cell.gap, share(stage.peak || 0)],
          label: { formatter: label(stage) }, cell: cell };
      }),
      label: Object.assign({ show: true, color: colour('ink'), backgroundColor: colour('paper'),
        padding: 3, borderRadius: 3, fontSize: 12, lineHeight: 15, align: 'center' }, words),
    }, extra);
  }

  const NARROW = 640; // pixels; page.css has it too

  function surfaceOption(width) {
    const seen = data.surface.cells.filter(function (cell) { return !cell.why; });
    const unseen = data.surface.cells.filter(function (cell) { return cell.why; });
    const small = width < NARROW;
    const words = small ? { fontSize: 10, lineHeight: 12, padding: 1 } : {};
    const most = Math.max.apply(null, seen.map(function (cell) {
      return share(data.stages[cell.stage].peak);
    }).concat(1));
    return base({
      dataZoom: [], legend: { show: false },
      grid: { left: 74, right: 20, top: 34, bottom: seen.length ? 112 : 66 },
      tooltip: { renderMode: 'richText', confine: true, formatter: function (item) {
        return cellHover(item.data.cell);
      } },
      xAxis: axis({ type: 'category', data: data.surface.sizes, name: 'a burst: senders x bytes',
        nameLocation: 'middle', nameGap: 42, splitLine: { show: false },
        axisLabel: { color: colour('dim'), interval: 0, lineHeight: 15,
          fontSize: small ? 10 : 12 } }),
      yAxis: axis({ type: 'category', data: data.surface.gaps, splitLine: { show: false },
        name: 'Gb/s offered on average, gaps included', nameTextStyle: { color: colour('dim'),
          align: 'left', padding: [0, 0, 0, -66] } }),
      visualMap: { show: seen.length > 0, min: 0, max: most, orient: 'horizontal', left: 'center', bottom: 4,
        seriesIndex: 0, text: [most + ' % of the buffer', '0'],
        textStyle: { color: colour('ink') },
        inRange: { color: [colour('u1'), colour('u3'), colour('w1'), colour('w2'),
          colour('w3')] } },
      series: [
        cellSeries(seen, 'heatmap', function (stage) {
          return share(stage.peak) + ' %\n' + provoked(stage).join('\n');
        }, words, { itemStyle: { borderColor: colour('paper'), borderWidth: 2 } }),
        cellSeries(unseen, 'scatter', function () { return 'not\nmeasured'; }, words,
          { symbol: 'rect', symbolSize: [60, 60], itemStyle: { color: 'transparent' } }),
      ],
    });
  }

  // The chart in a sentence, for those who cannot see it.
  function surfaceWords() {
    const seen = data.surface.cells.filter(function (cell) { return !cell.why; });
    const worst = seen.slice().sort(function (a, b) {
      return data.stages[b.stage].peak - data.stages[a.stage].peak;
    })[0];
    return 'Queues by size and gap of bursts: ' + seen.length + ' of ' +
      data.surface.cells.length + ' cells measured' + (worst ? '; the highest: ' +
      cellHover(worst).replace(/\n/g, '; ') : '') + '. The table has all.';
  }

  // --- inside of a stage ---

  // Events so close that their numbers would cover each other share a mark.
  function gathered(events, from, to) {
    const marks = [];
    events.slice().sort(function (a, b) { return a[0] - b[0]; }).forEach(function (event) {
      const last = marks[marks.length - 1];
      const words = event[1] + ' ' + event[2];
      if (last && last.injected === event[3] && event[0] - last.at < (to - from) / 12) {
        last.words.push(words);
      } else {
        marks.push({ at: event[0], injected: event[3], words: [words] });
      }
    });
    return marks;
  }

  // In the chart stand their numbers alone: words would hide what happened there.
  function marks(events) {
    return {
      symbol: 'none', silent: true,
      data: events.map(function (mark, index) {
        const tint = colour(mark.injected ? 'inject' : 'doubt');
        return {
          xAxis: mark.at, lineStyle: { color: tint, type: 'dashed', width: 1.4 },
          label: { formatter: String(index + 1), color: tint, position: 'end',
            distance: mark.injected ? 14 : 3, // both may be at one instant
            fontSize: 11, fontWeight: 700 },
        };
      }),
    };
  }

  // What was broken before the stage began, and the events by their numbers, above the chart.
  function tell(figure, faults, events) {
    const told = figure.querySelector('.events') || document.createElement('div');
    told.className = 'events';
    told.textContent = '';
    figure.insertBefore(told, figure.querySelector('.plot'));
    function add(kind, number, words) {
      const line = document.createElement('p');
      const mark = document.createElement('b');
      line.className = kind;
      mark.textContent = number;
      line.append(mark, words);
      told.appendChild(line);
    }
    if (faults.length)
      add('inject', '', 'injected, from before the stage on: ' + faults.map(function (f) {
        return f[1].replace(/ there already$/, '') + ' ' + f[2];
      }).join(', '));
    events.forEach(function (mark, index) {
      add(mark.injected ? 'inject' : 'doubt', String(index + 1), ' ' +
        (mark.injected ? 'injected: ' : '') + mark.words.slice(0, 4).join(', ') +
        (mark.words.length > 4 ? ' and ' + (mark.words.length - 4) + ' more' : ''));
    });
  }

  const kinds = { 'slowest NIC': 'low', 'median NIC': 'calm', 'fastest NIC': 'high',
    'highest of all ports': 'low', 'median edge': 'calm', 'slowest edge': 'low' };

  function inStage(id, stage, key, unit) {
    const figure = document.getElementById('c-' + id);
    if (!stage || !stage[key] || !stage[key].length) {
      tell(figure, [], []);
      return null;
    }
    const before = stage.events.filter(function (event) { return event[3] && event[0] === 0; });
    const named = ['bad', 'named', 'doubt'];
    const series = stage[key].map(function (entry) {
      return line(entry.name, kinds[entry.name] || named.shift() || 'calm', pairs(entry.points));
    });
    const times = series[0].data;
    const events = gathered(stage.events.filter(function (event) {
      return !event[3] || event[0] > 0;
    }), times[0][0], times[times.length - 1][0]);
    series[0].markLine = marks(events);
    tell(figure, before, events);
    return base({
      tooltip: { trigger: 'axis', renderMode: 'richText', confine: true,
        valueFormatter: function (value) { return round(value) + ' ' + unit; } },
      xAxis: axis({ type: 'value', name: 'us into the stage', nameLocation: 'middle',
        nameGap: 22, min: 0, max: 'dataMax' }),
      yAxis: upright({ type: 'value', name: unit, min: 0 }),
      series: series,
    });
  }

  function stepsOption(stage) {
    const option = inStage('steps', stage, 'steps', 'us');
    if (!option) return null;
    option.series.push({
      name: 'spikes (' + stage.spike_count + ')', type: 'scatter', color: colour('bad'),
      symbolSize: 8,
      data: stage.spikes.map(function (spike) {
        return { value: [spike[0], spike[1]],
          name: 'rank ' + spike[2] + ', all-reduce ' + spike[3] + ', step ' + spike[4] };
      }),
      label: { show: stage.spikes.length <= 8, formatter: '{b}', position: 'top',
        color: colour('bad'), fontSize: 10 },
    });
    return option;
  }

  // --- pairs ---

  function pairsOption() {
    const layer = chosen.pairs || Object.keys(data.pairs.layers)[0];
    const flat = layer && data.pairs.layers[layer];
    if (!flat) return null;
    const cells = [];
    for (let i = 0; i < flat.length; i += 3) cells.push([flat[i + 1], flat[i], flat[i + 2]]);
    const names = data.pairs.names;
    return base({
      dataZoom: [], legend: { show: false },
      grid: { left: 70, right: 20, top: 10, bottom: 100 },
      tooltip: { renderMode: 'richText', confine: true, formatter: function (item) {
        return names[item.value[1]] + ' to ' + names[item.value[0]] + ': ' + item.value[2] +
          ' Gb/s' + (data.pairs.leaves ? ', the slowest pair between these leaves' : '');
      } },
      xAxis: axis({ type: 'category', data: names, name: 'to', splitLine: { show: false },
        axisLabel: { color: colour('dim'), rotate: 90 } }),
      yAxis: axis({ type: 'category', data: names, inverse: true, splitLine: { show: false } }),
      visualMap: { min: 0, max: data.pairs.speed || 1,         orient: 'horizontal', left: 'center', bottom: 4,
        text: [data.pairs.speed + ' Gb/s', '0'], textStyle: { color: colour('ink') },
        inRange: { color: [colour('w3'), colour('w2'), colour('w1'), colour('u1'),
          colour('u3')] } },
      series: [{ type: 'heatmap', data: cells, name: layer,
        itemStyle: { borderColor: colour('paper'), borderWidth: names.length > 64 ? 0 : 1 } }],
    });
  }

  // --- choosing ---

  function select(figure, label, choices, group) {
    const control = document.createElement('select');
    const holder = document.createElement('label');
    choices.forEach(function (choice) {
      const option = document.createElement('option');
      option.value = choice;
      option.textContent = choice;
      control.appendChild(option);
    });
    control.value = chosen[group];
    control.dataset.group = group;
    control.addEventListener('change', function () {
      chosen[group] = control.value;
      document.querySelectorAll('select').forEach(function (other) {
        if (other.dataset.group === group) other.value = control.value;
      });
      redraw();
    });
    holder.append(label + ' ', control);
    figure.querySelector('.controls').appendChild(holder);
  }

  function stageOf(group) {
    return ran.filter(function (stage) { return stage.name === chosen[group]; })[0];
  }

  // The stage that suffered most, and then the one in which most happened.
  function worst(stages) {
    return stages.slice().sort(function (a, b) {
      return (b.drops || 0) - (a.drops || 0) || b.resent - a.resent ||
        (b.xoff || 0) - (a.xoff || 0) || b.ce - a.ce;
    })[0];
  }

  function withKey(key) {
    return ran.filter(function (stage) { return stage[key] && stage[key].length; });
  }

  function chooseStage(ids, group, key) {
    const stages = withKey(key);
    if (!stages.length) return;
    chosen[group] = worst(stages).name;
    ids.forEach(function (id) {
      select(document.getElementById('c-' + id), 'stage', stages.map(function (s) {
        return s.name;
      }), group);
    });
  }

  // --- drawing ---

  function redraw() {
    charts.forEach(function (entry) {
      const option = entry.option(entry.chart.getWidth());
      entry.chart.clear();
      entry.chart.setOption(option || { title: { text: 'Nothing was seen in this stage.',
        left: 'center', top: 'middle', textStyle: { color: colour('dim'), fontSize: 14 } } });
      entry.chart.getZr().flush(); // a page that is printed does not wait
    });
  }

  function resize() {
    charts.forEach(function (entry) { entry.chart.resize({ width: 'auto' }); });
  }

  // A chart for which the run has no figures says so, after the others.
  function draw(id, any, option) {
    const figure = document.getElementById('c-' + id);
    const plot = figure.querySelector('.plot');
    if (!any) {
      plot.removeAttribute('role');
      plot.removeAttribute('aria-label');
      plot.style.height = 'auto';
      plot.textContent = 'No stage of this run has such figures.';
      figure.parentNode.appendChild(figure);
      return;
    }
    charts.push({ id: id, option: option,
      chart: window.echarts.init(plot, null, { renderer: 'svg' }) });
  }

  function drawAll() {
    const layers = Object.keys(data.pairs.layers);
    chosen.pairs = layers[0];
    if (layers.length > 1) select(document.getElementById('c-pairs'), 'layer', layers, 'pairs');
    chooseStage(['goodput', 'queue'], 'stage', 'goodput');
    chooseStage(['steps'], 'ring', 'steps');
    draw('rates', ran.length, ratesOption);
    draw('counts', ran.length, countsOption);
    draw('goodput', withKey('goodput').length, function () {
      return inStage('goodput', stageOf('stage'), 'goodput', 'Gb/s');
    });
    draw('queue', withKey('queue').length, function () {
      return inStage('queue', stageOf('stage'), 'queue', 'KiB');
    });
    draw('steps', withKey('steps').length, function () {
      return stepsOption(stageOf('ring'));
    });
    draw('incast-not-ect', ofKind('Not-ECT').length, function () {
      return incast('Not-ECT');
    });
    draw('incast-ect', ofKind('ECT').length, function () { return incast('ECT'); });
    draw('burst', bursts().length, burstOption);
    if (data.surface) {
      draw('surface', true, surfaceOption);
      document.querySelector('#c-surface .plot').setAttribute('aria-label', surfaceWords());
    }
    draw('pairs', layers.length, pairsOption);
    redraw();
    window.addEventListener('resize', resize);
    window.matchMedia('(max-width: ' + NARROW + 'px)').addEventListener('change', redraw);
  }

  if (window.echarts) drawAll();
  window.weftCharts = charts;
})();
