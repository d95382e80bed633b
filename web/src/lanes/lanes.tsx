import { useState } from 'react'
import { post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { filled, textOf } from '../ui/field'
import { count, plural, took } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { ChangeLane } from './change'

type Lane = Schemas['LaneUsage']

/** typesOf are the job types that a text names, with commas between. */
const typesOf = (text: string) => text.split(',').map((t) => t.trim()).filter(Boolean)

/** Lanes shows what runs in which slots and what waits, as it changes, and steers that. */
export function Lanes() {
  const manages = useMay()('workers', 'manage')
  const [changing, setChanging] = useState('')
  const [ask, dialog] = useAct()
  const lanes = useRead<Schemas['LaneList']>('/admin/workers/lanes', { key: ['lanes'] }) // events change it
  const all = lanes.data?.lanes ?? []
  const create = () =>
    ask({
      title: 'New lane', confirm: 'Make the lane', text: 'Every server claims for it at once.',
      fields: [
        { name: 'name', label: 'Name', required: true, help: 'a lower-case letter, then lower-case letters, digits and _' },
        { name: 'max_slots', label: 'Slots', kind: 'number', min: 0, required: true, value: '2' },
        { name: 'job_types', label: 'Job types', help: 'with commas between; they are taken out of the lanes that have them' },
      ],
      run: async (v) => {
        await post('/admin/workers/lanes', { ...filled(v, ['max_slots']), job_types: typesOf(textOf(v.job_types)) })
        return 'The lane is made.'
      },
    })
  const drain = (l: Lane) =>
    ask({
      title: l.enabled ? `Drain the lane ${l.name}?` : `Have the lane ${l.name} take jobs again?`, confirm: l.enabled ? 'Drain' : 'Take jobs again', danger: l.enabled,
      text: l.enabled ? (l.running_jobs > 0 ? `It takes nothing new; ${l.running_jobs} still running are finished.` : 'It takes nothing new.') : plural(l.queued_jobs, 'job') + ' of its types wait.',
      run: async () => (await request('PATCH', '/admin/workers/lanes/' + encodeURIComponent(l.name), { enabled: !l.enabled }), l.enabled ? 'The lane takes nothing new.' : 'The lane takes jobs again.'),
    })
  const move = (l: Lane) =>
    ask({
      title: `Move job types into the lane ${l.name}`, confirm: 'Move them', text: 'They are taken out of all other lanes. What runs goes on where it is.',
      fields: [{ name: 'types', label: 'Job types, with commas between', required: true, options: all.filter((o) => o.name !== l.name).flatMap((o) => (o.job_types ?? []).map((t): [string, string] => [t, `${t}, now in ${o.name}`])) }],
      run: async (v) => (await post(`/admin/workers/lanes/${encodeURIComponent(l.name)}/types`, { job_types: typesOf(textOf(v.types)) }), 'The job types are moved.'),
    })
  const remove = (l: Lane) =>
    ask({
      title: `Delete the lane ${l.name}?`, confirm: 'Delete the lane', danger: true, text: `What runs in it goes on. Its job types (${(l.job_types ?? []).join(', ') || 'none'}) go back to their own lanes, or to the chosen one.`,
      fields: [{ name: 'move_to', label: 'Its job types go to', kind: 'select', options: [['', 'their own lanes'], ...all.filter((o) => o.name !== l.name).map((o): [string, string] => [o.name, o.name])] }],
      run: async (v) => {
        const { body } = await request<Schemas['LaneDeleted']>('DELETE', `/admin/workers/lanes/${encodeURIComponent(l.name)}${v.move_to ? '?move_to=' + encodeURIComponent(textOf(v.move_to)) : ''}`)
        return body.unclaimed_types?.length ? `The lane is deleted. No lane claims ${body.unclaimed_types.join(', ')} now.` : 'The lane is deleted.'
      },
    })
  return (
    <Part title="Lanes" query={lanes} aside={manages && <button className="primary" onClick={create}>New lane…</button>}>
      {() => (
        <>
          <Table label="Lanes" rows={all} keyOf={(l) => l.name} empty="There is no lane: nothing runs." more="Make one."
            columns={[
              { head: 'Lane', cell: (l) => <><strong>{l.name}</strong>{!l.enabled && <small className="warning">{l.running_jobs > 0 ? `takes nothing new; ${l.running_jobs} still running` : 'takes nothing'}</small>}</> },
              { head: 'Running', cell: (l) => <><progress max={Math.max(1, l.max_slots)} value={l.running_jobs} aria-label={`Slots of ${l.name} in use`} /><small>{l.running_jobs} of {plural(l.max_slots, 'slot')}</small></>, kind: 'num' },
              { head: 'Queued', cell: (l) => count(l.queued_jobs), kind: 'num' },
              { head: 'Oldest wait', cell: (l) => took(l.oldest_wait_seconds), kind: 'num' },
              { head: 'Job types', cell: (l) => (l.job_types ?? []).join(', '), kind: 'name' },
              manages && {
                head: 'Act',
                cell: (l) => (
                  <span className="actions">
                    <button onClick={() => setChanging(l.name)} aria-label={`Change ${l.name}`}>Change…</button>
                    <button onClick={() => drain(l)} aria-label={`${l.enabled ? 'Drain' : 'Enable'} ${l.name}`}>{l.enabled ? 'Drain…' : 'Enable…'}</button>
                    <button onClick={() => move(l)} aria-label={`Move types into ${l.name}`}>Types…</button>
                    {!l.built_in && <button onClick={() => remove(l)} aria-label={`Delete ${l.name}`}>Delete…</button>}
                  </span>
                ),
              },
            ]} />
          {changing && <ChangeLane name={changing} close={() => setChanging('')} />}
          {dialog}
        </>
      )}
    </Part>
  )
}
