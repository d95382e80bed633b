import { describe, expect, it } from 'vitest'
import { changesOf, groupsOf, groupsText } from './settings'

const lane = { max_slots: 4, enabled: true, poll_interval_ms: 1000, stale_timeout_minutes: 30 }

describe('changesOf', () => {
  it('says nothing of what stays', () => expect(changesOf(lane, { ...lane }, 3)).toEqual([]))
  it('says what happens to what runs', () => expect(changesOf(lane, { ...lane, enabled: false, max_slots: 0 }, 3)).toEqual(['Slots: 4 → 0', 'It takes nothing new; 3 still running are finished']))
})

describe('slot groups', () => {
  it('are read as they are written', () => expect(groupsText(groupsOf(' fast,slow: 3\n\n*:1'))).toBe('fast, slow: 3\n*: 1'))
  it('say what is wrong', () => expect(() => groupsOf('fast')).toThrow('“fast” is no slot group'))
})
