import { expect, it } from 'vitest'
import { parser } from './sse'

it('reads events in any pieces', () => {
  const text = ': hello\r\nretry: 5\n\nid: 1\nevent: status\ndata: {"a":\ndata: 1}\n\nevent: end\ndata:x\n\nevent: cut\ndata: y'
  for (const size of [1, 2, 7, 1000]) {
    const parse = parser()
    const told = []
    for (let i = 0; i < text.length; i += size) told.push(...parse(text.slice(i, i + size)))
    expect(told).toEqual([{ event: 'status', id: '1', data: '{"a":\n1}' }, { event: 'end', id: '', data: 'x' }])
  }
})
