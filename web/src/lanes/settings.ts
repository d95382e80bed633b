import type { Schemas } from '../api/client'

/** What can be set of a lane. */
export type Settings = Pick<Schemas['LaneUsage'], 'max_slots' | 'enabled' | 'poll_interval_ms' | 'stale_timeout_minutes'>

/** changesOf says in words what differs between the settings of a lane as they were and as they are to be. */
export const changesOf = (was: Settings, want: Settings, running: number): string[] => [
  ...(want.max_slots !== was.max_slots ? [`Slots: ${was.max_slots} → ${want.max_slots}`] : []),
  ...(want.poll_interval_ms !== was.poll_interval_ms ? [`Looks for jobs each ${was.poll_interval_ms} ms → ${want.poll_interval_ms} ms`] : []),
  ...(want.stale_timeout_minutes !== was.stale_timeout_minutes ? [`Gives a silent job up after ${was.stale_timeout_minutes} min → ${want.stale_timeout_minutes} min`] : []),
  ...(want.enabled !== was.enabled ? [want.enabled ? 'It takes jobs again' : running > 0 ? `It takes nothing new; ${running} still running are finished` : 'It takes nothing new'] : []),
]

/** groupsOf reads slot groups as people write them, one a line: "queue, queue: 3". */
export function groupsOf(text: string): Schemas['SlotGroup'][] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const [, queues = '', most = ''] = /^(.+):\s*(\d+)$/.exec(line) ?? []
      if (!queues) throw new Error(`“${line}” is no slot group: write the queues, a colon, and how many jobs of them run at once, such as “fast, slow: 3”.`)
      return { queues: queues.split(',').map((q) => q.trim()).filter(Boolean), max: Number(most) }
    })
}

/** groupsText writes slot groups so. */
export const groupsText = (groups: { queues: string[] | null; max: number }[]) => groups.map((g) => `${(g.queues ?? []).join(', ')}: ${g.max}`).join('\n')
