import { describe, expect, it } from 'vitest'
import type { Schemas } from '../api/client'
import { ago, plural, price, took } from './format'

describe('format', () => {
  it('says how long ago', () => {
    const now = Date.parse('2026-01-02T00:00:00Z')
    expect(ago('2026-01-01T23:59:58Z', now)).toBe('now')
    expect(ago('2026-01-01T23:59:00Z', now)).toBe('1 min ago')
    expect(ago('2025-12-31T00:00:00Z', now)).toBe('2 days ago')
    expect(ago('2026-01-02T00:00:09Z', now)).toBe('now')
  })
  it('says how long', () => expect([took(0.04), took(2), took(61), took(null)]).toEqual(['40 ms', '2.0 s', '1 min 1 s', '']))
  it('counts', () => expect([plural(1, 'job'), plural(12345, 'job')]).toEqual(['1 job', '12,345 jobs']))
  it('prices', () => {
    const cost = (low: number, high: number) => ({ total: { cost_low: low, cost_high: high, currency: 'USD' } }) as Schemas['CostEstimate']
    expect([price(cost(0, 0)), price(cost(0.012, 0.034)), price(cost(2, 2)), price(undefined)]).toEqual(['free', '$0.012–$0.034', '$2.00', 'free'])
  })
})
