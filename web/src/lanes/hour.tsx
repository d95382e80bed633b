import { useEffect, useMemo, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Schemas } from '../api/client'
import { count, took } from '../ui/format'
import { Empty } from '../ui/page'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { series, type Series } from './series'

/** LastHour shows how many attempts ended in the last hour, and how long they waited and ran: as a chart, and the same as tables. */
export default function LastHour() {
  const stats = useRead<Schemas['AttemptStats']>('/admin/workers/stats?since=1h', { key: ['lanes', 'hour'], every: 60_000 })
  return (
    <Part title="The last hour" query={stats} aside={<span className="muted">counted once a minute</span>}>
      {(data) => (data.stats?.length ? <Shown stats={data} /> : <Empty title="No attempt has ended in the last hour." />)}
    </Part>
  )
}

function Shown({ stats }: { stats: Schemas['AttemptStats'] }) {
  const drawn = useMemo(() => series(stats), [stats])
  const clock = (seconds: number) => new Date(seconds * 1000).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
  return (
    <>
      <Chart drawn={drawn} />
      <Table label="The last hour by job type" rows={stats.stats ?? []} keyOf={(s) => s.lane + s.job_type} empty=""
        columns={[
          { head: 'Type', cell: (s) => s.job_type },
          { head: 'Lane', cell: (s) => s.lane },
          { head: 'Ended', cell: (s) => Object.entries(s.ended).filter(([, n]) => n > 0).map(([how, n]) => `${count(n)} ${how}`).join(', '), kind: 'num' },
          { head: 'Waited, half', cell: (s) => took(s.wait?.p50_seconds), kind: 'num' },
          { head: 'Waited, 95 %', cell: (s) => took(s.wait?.p95_seconds), kind: 'num' },
          { head: 'Waited, 99 %', cell: (s) => took(s.wait?.p99_seconds), kind: 'num' },
          { head: 'Ran, half', cell: (s) => took(s.run?.p50_seconds), kind: 'num' },
          { head: 'Ran, 95 %', cell: (s) => took(s.run?.p95_seconds), kind: 'num' },
          { head: 'Ran, 99 %', cell: (s) => took(s.run?.p99_seconds), kind: 'num' },
        ]} />
      <details>
        <summary>The chart as a table</summary>
        <Table label="Ended over time" rows={drawn.times.map((t, i) => ({ t, i }))} keyOf={(r) => r.t} empty=""
          columns={[{ head: 'From', cell: (r) => clock(r.t), kind: 'num' }, ...drawn.lanes.map((l) => ({ head: l.name, cell: (r: { i: number }) => count(l.ended[r.i] ?? 0), kind: 'num' as const }))]} />
      </details>
    </>
  )
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const useDark = () =>
  useSyncExternalStore(
    (f) => (dark.addEventListener('change', f), () => dark.removeEventListener('change', f)),
    () => dark.matches,
  )
const lines = [['#0b5cad', '#7cbcff'], ['#b3261e', '#ff9d94'], ['#1a6b3c', '#7ddba3'], ['#7a4f00', '#f0c36a'], ['#6b3fa0', '#c7a6f5'], ['#3f6b6b', '#8fd3d3']] as const

/** Chart draws how many attempts ended in each lane over time. */
function Chart({ drawn }: { drawn: Series }) {
  const ref = useRef<HTMLDivElement>(null)
  const isDark = useDark()
  useEffect(() => {
    const box = ref.current
    if (!box) return
    const style = getComputedStyle(box)
    const [text, line] = [style.getPropertyValue('color'), isDark ? '#323942' : '#d5dae0']
    const axis = { stroke: text, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } }
    const plot = new uPlot(
      {
        width: Math.max(200, box.clientWidth), height: 180, cursor: { y: false },
        axes: [axis, { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000], size: 55 }],
        scales: { y: { range: (_, __, most) => [0, Math.max(1, most)] } },
        series: [{}, ...drawn.lanes.map((l, i) => ({ label: l.name, stroke: lines[i % lines.length]![isDark ? 1 : 0], width: 2, points: { show: false } }))],
      },
      [drawn.times, ...drawn.lanes.map((l) => l.ended)],
      box,
    )
    const resized = new ResizeObserver(() => plot.setSize({ width: Math.max(200, box.clientWidth), height: 180 }))
    resized.observe(box)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [drawn, isDark])
  return <div className="chart" ref={ref} role="img" aria-label={`Attempts that ended in the last hour, over time, in the lanes ${drawn.lanes.map((l) => l.name).join(', ')}. The same is in a table below.`} />
}
