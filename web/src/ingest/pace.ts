import type { Job } from '../api/client'
import { count, took } from '../ui/format'

/** paceOf says how many words a second a job reads, and how long it will take; "" before that is known. */
export function paceOf(job: Job, now = Date.now()): string {
  const p = job.progress
  if (!p?.chunks_total || !p.chunks_processed || !job.started_at) return ''
  const seconds = (now - Date.parse(job.started_at)) / 1000
  if (seconds <= 0) return ''
  const words = job.analysis?.file_stats?.word_count
  const pace = words ? Math.round((words * p.chunks_processed) / p.chunks_total / seconds) : 0
  const left = (seconds * (p.chunks_total - p.chunks_processed)) / p.chunks_processed
  return [pace > 0 && `${count(pace)} words a second`, left >= 1 && `${took(left)} left`].filter(Boolean).join(' · ')
}
