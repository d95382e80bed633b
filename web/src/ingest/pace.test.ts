import { expect, it } from 'vitest'
import type { Job } from '../api/client'
import { paceOf } from './pace'

const job = (processed: number) => ({ started_at: '2026-01-01T00:00:00Z', progress: { chunks_total: 10, chunks_processed: processed }, analysis: { file_stats: { word_count: 1000 } } }) as unknown as Job

it('says how quickly a document is read', () => {
  const now = Date.parse('2026-01-01T00:00:10Z')
  expect(paceOf(job(5), now)).toBe('50 words a second · 10.0 s left')
  expect(paceOf(job(10), now)).toBe('100 words a second')
  expect(paceOf(job(0), now)).toBe('')
})
