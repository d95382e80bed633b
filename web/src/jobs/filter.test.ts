import { expect, it } from 'vitest'
import { range, readFilter, selecting, writeFilter } from './filter'

it('reads what it writes, and drops what is unknown or empty', () => {
  const filter = readFilter('?sort=oldest&status=failed&job_type=&evil=1&file=%20a%26b%20')
  expect(filter).toEqual({ status: 'failed', file: 'a&b', sort: 'oldest' })
  expect(readFilter('?' + writeFilter(filter))).toEqual(filter)
})
it('selects by everything but the order', () => expect(selecting({ status: 'failed', sort: 'oldest' })).toEqual({ status: 'failed' }))
it('selects a range either way', () => {
  const ids = ['a', 'b', 'c', 'd']
  expect(range(ids, 'b', 'd')).toEqual(['b', 'c', 'd'])
  expect(range(ids, 'd', 'b')).toEqual(['b', 'c', 'd'])
  expect(range(ids, 'gone', 'b')).toEqual(['b'])
})
