import { describe, expect, it } from 'vitest'
import type { Job } from '../api/client'
import { apply, applyAll, withLane } from './reduce'

const job = (over: Partial<Job> = {}) => ({ job_id: 'job_1', status: 'approved', event_seq: 3, progress: null, error: null, ...over }) as Job

describe('apply', () => {
  it('follows a job to its end', () => {
    let j = apply(job(), { event: 'status', job_id: 'job_1', seq: 4, data: { status: 'processing', at: 'T1' } })
    expect([j.status, j.started_at, j.event_seq]).toEqual(['processing', 'T1', 4])
    j = apply(j, { event: 'progress', job_id: 'job_1', seq: 5, data: { percent: 40 } })
    expect(j.progress?.percent).toBe(40)
    j = apply(j, { event: 'status', job_id: 'job_1', seq: 6, data: { status: 'failed', at: 'T2', error: 'no' } })
    expect([j.status, j.completed_at, j.error]).toEqual(['failed', 'T2', 'no'])
  })
  it('takes nothing twice and nothing old', () => {
    const j = job()
    expect(apply(j, { event: 'status', job_id: 'job_1', seq: 3, data: { status: 'pending' } })).toBe(j)
    expect(apply(j, { event: 'snapshot', job_id: 'job_1', seq: 2, data: job({ event_seq: 2 }) })).toBe(j)
    expect(apply(j, { event: 'snapshot', job_id: 'job_1', seq: 9, data: job({ event_seq: 9 }) }).event_seq).toBe(9)
  })
})

describe('applyAll', () => {
  it('applies all changes of each job, and leaves the other jobs and unknown ones as they are', () => {
    const jobs = [job(), job({ job_id: 'job_2' })]
    const change = (job_id: string, seq: number, status: string) => ({ event: 'status', job_id, seq, data: { status, at: 'T' + seq } })
    const next = applyAll(jobs, new Map([['job_2', [change('job_2', 8, 'processing'), change('job_2', 9, 'cancelled')]], ['job_3', [change('job_3', 8, 'failed')]]]))
    expect(next[0]).toBe(jobs[0])
    expect([next[1]!.status, next[1]!.started_at, next[1]!.completed_at]).toEqual(['cancelled', 'T8', 'T9'])
    expect(applyAll(jobs, new Map([['job_1', [{ event: 'error', job_id: 'job_1', seq: 0, data: {} }]]]))).toEqual([jobs[1]])
    expect(applyAll(jobs, new Map([['job_3', [change('job_3', 8, 'failed')]], ['job_1', [change('job_1', 3, 'failed')]]]))).toBe(jobs)
  })
})

describe('withLane', () => {
  const lane = (name: string, more: object = {}) => ({ name, running_jobs: 0, ...more }) as never
  it('changes, adds and removes one lane', () => {
    let list = withLane({ lanes: [lane('b')] } as never, lane('a'))
    list = withLane(list, lane('b', { running_jobs: 3 }))
    expect(list.lanes!.map((l) => [l.name, l.running_jobs])).toEqual([['a', 0], ['b', 3]])
    expect(withLane(list, lane('a', { removed: true })).lanes!.map((l) => l.name)).toEqual(['b'])
  })
})
