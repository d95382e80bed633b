import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem, request, type Schemas } from '../api/client'
import { Dialog } from '../ui/dialog'
import { ErrorState, Loading } from '../ui/page'
import { toast } from '../ui/toast'

/** ChangeLane changes the slots of a lane, or has it take nothing new. It says what changes first, and when somebody else has changed the lane meanwhile. */
export function ChangeLane({ name, close }: { name: string; close: () => void }) {
  const client = useQueryClient()
  const path = '/admin/workers/lanes/' + encodeURIComponent(name)
  const lane = useQuery({ queryKey: ['lane', name], queryFn: ({ signal }) => request<Schemas['LaneUsage']>('GET', path, undefined, signal), staleTime: 0, gcTime: 0 })
  const [slots, setSlots] = useState<string | null>(null)
  const [enabled, setEnabled] = useState<boolean | null>(null)
  const [stale, setStale] = useState(false)
  const [busy, setBusy] = useState(false)
  const was = lane.data?.body
  const want = was && { max_slots: slots === null ? was.max_slots : Number(slots), enabled: enabled ?? was.enabled }
  const changes = was && want ? [
    ...(want.max_slots !== was.max_slots ? [`Slots: ${was.max_slots} → ${want.max_slots}`] : []),
    ...(want.enabled !== was.enabled ? [want.enabled ? 'It takes jobs again' : `It takes nothing new; ${was.running_jobs} still running are finished`] : []),
  ] : []
  const save = async () => {
    setBusy(true)
    try {
      await request('PATCH', path, want, undefined, { 'If-Match': lane.data!.header.get('ETag') ?? '' })
      await client.invalidateQueries({ queryKey: ['lanes'] })
      close()
    } catch (err) {
      if (err instanceof Problem && err.status === 412) {
        setStale(true)
        await lane.refetch()
      } else toast((err as Error).message, true)
    }
    setBusy(false)
  }
  return (
    <Dialog title={`Change the lane ${name}`} confirm={busy ? 'Changing…' : 'Change the lane'} disabled={busy || changes.length === 0} onConfirm={() => void save()} onClose={close}>
      {lane.isPending ? (
        <Loading what="the lane" />
      ) : !was || !want ? (
        <ErrorState error={lane.error} retry={() => void lane.refetch()} />
      ) : (
        <div className="stack">
          {stale && (
            <p className="warning" role="alert">
              The lane was changed by somebody else meanwhile. Below is what would change of it as it is now; go back to leave it so.
            </p>
          )}
          <label>
            Slots
            <input type="number" min={0} value={slots ?? was.max_slots} onChange={(e) => setSlots(e.target.value)} />
          </label>
          <label className="check">
            <input type="checkbox" checked={want.enabled} onChange={(e) => setEnabled(e.target.checked)} />
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
