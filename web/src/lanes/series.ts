import type { Schemas } from '../api/client'

/** How many attempts ended in each lane from each of some instants, in seconds, to the next one. */
export interface Series {
  times: number[]
  lanes: { name: string; ended: number[] }[]
}

/** series adds up the job types of each lane, the busiest lane first. */
export function series(stats: Schemas['AttemptStats']): Series {
  const begin = Date.parse(stats.from) / 1000
  const points = Math.max(0, ...(stats.stats ?? []).map((s) => s.series?.length ?? 0))
  const lanes = new Map<string, number[]>()
  for (const s of stats.stats ?? []) {
    const sum = lanes.get(s.lane) ?? Array<number>(points).fill(0)
    s.series?.forEach((n, i) => (sum[i] = (sum[i] ?? 0) + n))
    lanes.set(s.lane, sum)
  }
  const all = (ended: number[]) => ended.reduce((a, b) => a + b, 0)
  return {
    times: Array.from({ length: points }, (_, i) => begin + i * stats.point_seconds),
    lanes: [...lanes].map(([name, ended]) => ({ name: name || 'remote', ended })).sort((a, b) => all(b.ended) - all(a.ended)),
  }
}
