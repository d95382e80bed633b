import { expect, it } from 'vitest'
import type { Schemas } from '../api/client'
import { series } from './series'

it('adds up the job types of a lane, the busiest lane first', () => {
  const stat = (lane: string, numbers: number[]) => ({ lane, series: numbers }) as unknown as Schemas['AttemptStat']
  const drawn = series({ from: '1970-01-01T00:01:00Z', to: '', point_seconds: 120, stats: [stat('a', [1, 0]), stat('b', [2, 2]), stat('b', [0, 5])] })
  expect(drawn).toEqual({ times: [60, 180], lanes: [{ name: 'b', ended: [2, 7] }, { name: 'a', ended: [1, 0] }] })
})
