import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem, request, type Answer, type Schemas } from '../api/client'
import { Dialog } from '../ui/dialog'
import { ErrorState, Loading } from '../ui/page'
import { toast } from '../ui/toast'
import { changesOf, type Settings } from './settings'

type Lane = Answer<Schemas['LaneUsage']>

const numbers: [name: 'max_slots' | 'poll_interval_ms' | 'stale_timeout_minutes', label: string, min: number][] = [
  ['max_slots', 'Slots', 0], ['poll_interval_ms', 'Looks for jobs each so many milliseconds, notified or not', 1], ['stale_timeout_minutes', 'A job that tells of no progress is given up after so many minutes', 1],
]

/** ChangeLane changes the settings of a lane. It says what changes first, and, when somebody else has changed the lane meanwhile, what: one may keep that, or change it again. */
export function ChangeLane({ name, close }: { name: string; close: () => void }) {
  const client = useQueryClient()
  const path = '/admin/workers/lanes/' + encodeURIComponent(name)
  const lane = useQuery({ queryKey: ['lane', name], queryFn: ({ signal }) => request<Schemas['LaneUsage']>('GET', path, undefined, signal), staleTime: 0, gcTime: 0, refetchOnMount: 'always' })
  // What is changed is what was read when the dialog opened, or when somebody else's change was shown.
  const [read, setRead] = useState<Lane | null>(null)
  const [edited, setEdited] = useState<Partial<Settings>>({})
  const [theirs, setTheirs] = useState<string[] | null>(null)
  const [busy, setBusy] = useState(false)
  if (!read && lane.data && lane.isFetchedAfterMount) setRead(lane.data)
  const was = read?.body
  const want = was && { max_slots: was.max_slots, enabled: was.enabled, poll_interval_ms: was.poll_interval_ms, stale_timeout_minutes: was.stale_timeout_minutes, ...edited }
  const changes = was && want ? changesOf(was, want, was.running_jobs) : []
  const edit = (more: Partial<Settings>) => setEdited((e) => ({ ...e, ...more }))
  const save = async () => {
    setBusy(true)
    try {
      await request('PATCH', path, want, undefined, { 'If-Match': read!.header.get('ETag') ?? '' })
      await client.invalidateQueries({ queryKey: ['lanes'] })
      close()
    } catch (err) {
      const now = err instanceof Problem && err.status === 412 ? (await lane.refetch()).data : undefined
      if (now && was) {
        setTheirs(changesOf(was, now.body, now.body.running_jobs))
        setRead(now)
      } else toast((err as Error).message, true)
    }
    setBusy(false)
  }
  return (
    <Dialog title={`Change the lane ${name}`} confirm={busy ? 'Changing…' : 'Change the lane'} disabled={busy || changes.length === 0} onConfirm={() => void save()} onClose={close}>
      {!was || !want ? (
        lane.error ? <ErrorState error={lane.error} retry={() => void lane.refetch()} /> : <Loading what="the lane" />
      ) : (
        <div className="stack">
          {theirs && (
            <div role="alert">
              <p className="warning">The lane was changed by somebody else meanwhile:</p>
              <ul aria-label="What somebody else changed">{theirs.length === 0 ? <li>It is as it was before again.</li> : theirs.map((c) => <li key={c}>{c}</li>)}</ul>
              <p>Below is what you would change of it as it is now.</p>
              <button onClick={() => (setEdited({}), setTheirs(null))}>Keep theirs</button>
            </div>
          )}
          {numbers.map(([n, label, min]) => (
            <label key={n}>
              {label}
              <input type="number" min={min} value={String(want[n])} onChange={(e) => edit({ [n]: Number(e.target.value) })} />
            </label>
          ))}
          <label className="check">
            <input type="checkbox" checked={want.enabled} onChange={(e) => edit({ enabled: e.target.checked })} />
            takes jobs
          </label>
          <ul aria-label="What changes">
            {changes.length === 0 ? <li className="muted">Nothing changes yet.</li> : changes.map((c) => <li key={c}>{c}</li>)}
          </ul>
        </div>
      )}
    </Dialog>
  )
}
