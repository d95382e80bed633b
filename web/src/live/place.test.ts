import { expect, it } from 'vitest'
import type { Job } from '../api/client'
import { place } from './place'

const job = (job_id: string, created_at: string, more: object = {}) => ({ job_id, created_at, status: 'approved', job_type: 'noop', ontology: null, ...more }) as Job
const pages = [[job('d', '4'), job('c', '3')], [job('b', '2')]]
const ids = (p: Job[][] | null) => p?.map((page) => page.map((j) => j.job_id).join('')).join(' ')

it('puts new jobs first, the newest before all', () => expect(ids(place(pages, '', [job('e', '5'), job('f', '6')], true))).toBe('fedc b'))
it('leaves out what the filter leaves out, and what comes after the last page', () => {
  expect(place(pages, 'status=failed', [job('e', '5')], false)).toBe(pages)
  expect(ids(place(pages, 'status=approved,failed&job_type=noop', [job('e', '5')], false))).toBe('edc b')
  expect(place(pages, '', [job('a', '1')], true)).toBe(pages)
  expect(ids(place([], '', [job('a', '1')], false))).toBe('a')
})
it('has the list read again where only the server knows', () => {
  expect(place(pages, 'file=x', [job('e', '5')], false)).toBe(null)
  expect(place(pages, 'sort=ended', [job('e', '5')], false)).toBe(null)
  expect(place(pages, '', [job('x', '2.5')], true)).toBe(null)
  expect(place(pages, '', [job('a', '1')], false)).toBe(null)
  expect(place(pages, 'file=x&status=failed', [job('e', '5')], false)).toBe(pages)
})
