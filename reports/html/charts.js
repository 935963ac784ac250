// The parts of Apache ECharts that page.js uses; esbuild leaves out the rest.
import { init, use } from 'echarts/core';
import { HeatmapChart, LineChart, ScatterChart } from 'echarts/charts';
import {
  DataZoomComponent, GridComponent, LegendComponent, MarkLineComponent, TitleComponent,
  TooltipComponent, VisualMapComponent,
} from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';

use([HeatmapChart, LineChart, ScatterChart, DataZoomComponent, GridComponent, LegendComponent,
  MarkLineComponent, TitleComponent, TooltipComponent, VisualMapComponent, SVGRenderer]);
window.echarts = { init };
