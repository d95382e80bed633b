import { expect, it } from 'vitest'
import { partOf } from './windowed'

it('renders a short list whole', () => expect(partOf(100, 40, -3000, 800)).toEqual({ from: 0, to: 100, before: 0, after: 0 }))
it('renders what is in view of a long one, and keeps its height', () => {
  for (const top of [400, 0, -1, -4000, -39_000, -39_960, -99_999]) {
    const part = partOf(1000, 40, top, 800)
    expect(part.before + part.after + (part.to - part.from) * 40).toBe(40_000)
    expect(part.from * 40).toBeLessThanOrEqual(Math.max(0, Math.min(40_000, -top)))
    expect(part.to * 40).toBeGreaterThanOrEqual(Math.min(40_000, 800 - top))
    expect(part.to - part.from).toBeLessThanOrEqual(20 + 24 + 1)
  }
})
