import { useState } from 'react'
import { get, post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { filled } from '../ui/field'
import { count } from '../ui/format'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { toast } from '../ui/toast'
import { bytes, until } from '../ui/units'
import { Objects } from './objects'

/** StorageTab shows what the database holds and how long it is kept, the graph in memory, and the rules that the graph keeps. */
export default function StorageTab() {
  const may = useMay()
  const [ask, dialog] = useAct()
  const use = useRead<Schemas['StorageUse']>('/admin/storage/stats')
  const retention = useRead<Schemas['StorageRetention']>('/admin/storage/retention')
  const check = () =>
    ask({ title: 'Check all that is stored?', confirm: 'Check', text: 'A job compares every hash and every offset.', run: async () => `The job ${(await post<Schemas['SubmittedCheck']>('/admin/storage/check', {})).job_id} checks it.` })
  const clean = () =>
    ask({
      title: 'Clean up now?', confirm: 'Clean up', text: 'What is kept for longer than it has to be is removed, and jobs whose worker is gone are queued again.',
      run: async () => {
        const done = await post<Schemas['CleanupAnswer']>('/admin/scheduler/cleanup')
        return `${done.jobs_deleted} jobs removed, ${done.expired} expired, ${done.recovered} queued again.`
      },
    })
  return (
    <>
      <Part title="What the database holds" query={use} aside={<button onClick={check}>Check what is stored…</button>}>
        {(data) => (
          <Table label="What the database holds" rows={data.kinds ?? []} keyOf={(k) => k.kind} empty="Nothing."
            columns={[
              { head: 'Kind', cell: (k) => k.kind.replaceAll('_', ' ') },
              { head: 'Rows', cell: (k) => count(k.rows), kind: 'num' },
              { head: 'Tables', cell: (k) => bytes(k.table_bytes), kind: 'num' },
              { head: 'Indexes', cell: (k) => bytes(k.index_bytes), kind: 'num' },
            ]} />
        )}
      </Part>
      <Part title="What is kept for how long" query={retention} aside={may('workers', 'manage') && <button onClick={clean}>Clean up now…</button>}>
        {(data) => (
          <>
            <p className="muted">The next cleanup is {until(data.next_cleanup) || 'not known'}.</p>
            <Table label="What is kept" rows={Object.entries(data.policies)} keyOf={([name]) => name} empty="Nothing is removed."
              columns={[
                { head: 'What', cell: ([name]) => name.replaceAll('_', ' ') },
                { head: 'Kept for', cell: ([, p]) => p.keep },
                { head: 'Would go now', cell: ([, p]) => count(p.due_now), kind: 'num' },
                { head: 'Setting', cell: ([, p]) => <code>{p.setting}</code> },
              ]} />
          </>
        )}
      </Part>
      <Objects />
      {may('admin', 'status') && <InMemory />}
      {may('search_config', 'read') && <Queries />}
      {may('database', 'read') && <Rules />}
      {dialog}
    </>
  )
}

function InMemory() {
  const status = useRead<Schemas['GraphStatus']>('/admin/graph/status')
  return (
    <Part title="The graph in memory" query={status}>
      {(g) => (
        <dl className="pairs">
          <dt>State</dt>
          <dd>{g.state.replace('_', ' ')}{g.reason && ': ' + g.reason}</dd>
          <dt>Holds</dt>
          <dd>{count(g.concepts)} concepts, {count(g.edges)} relationships</dd>
          <dt>Memory</dt>
          <dd>{bytes(g.memory_bytes)} of {bytes(g.memory_limit_bytes)}</dd>
          {g.passages && (
            <>
              <dt>Passages</dt>
              <dd>{g.passages.ready ? `${count(g.passages.passages ?? 0)} can be searched` : g.passages.reason}</dd>
            </>
          )}
        </dl>
      )}
    </Part>
  )
}

const limits: [name: 'timeout_seconds' | 'max_workers' | 'parallel_from' | 'chunk_size' | 'chunk_timeout_seconds' | 'max_results_per_chunk', label: string][] = [
  ['timeout_seconds', 'A question may take, in seconds'], ['max_workers', 'Workers of a question'], ['parallel_from', 'Several workers from so many concepts on'], ['chunk_size', 'Concepts of a part'], ['chunk_timeout_seconds', 'A part may take, in seconds'], ['max_results_per_chunk', 'Results of a part'],
]

/** Queries are the settings of questions to the graph, and from which similarity on a search shows concepts. */
function Queries() {
  const may = useMay()
  const [ask, dialog] = useAct()
  const config = useRead<Schemas['GraphSettings']>('/admin/graph/config')
  const threshold = useRead<Schemas['SearchThreshold']>('/admin/config/search-threshold')
  const change = (g: Schemas['GraphSettings']) =>
    ask({
      title: 'Change the settings of questions', confirm: 'Change', fields: limits.map(([name, label]) => ({ name, label, kind: 'number', required: true, min: 1, value: String(g[name]) })),
      changes: (v) => limits.filter(([n]) => Number(v[n]) !== g[n]).map(([n, label]) => `${label}: ${g[n]} → ${Number(v[n])}`),
      run: async (v) => (await request('PATCH', '/admin/graph/config', filled(v, limits.map(([n]) => n))), 'They count from now on.'),
    })
  const now = threshold.data && (threshold.data.threshold ?? threshold.data.fallback)
  const setThreshold = () =>
    ask({
      title: 'From which similarity on searches show concepts', confirm: 'Change', fields: [{ name: 'threshold', label: 'Similarity, 0 to 1', kind: 'number', min: 0, max: 1, step: 'any', required: true, value: String(now ?? '') }],
      changes: (v) => (Number(v.threshold) === now ? [] : [`${now} → ${Number(v.threshold)}`]),
      run: async (v) => (await request('PUT', '/admin/config/search-threshold', { threshold: Number(v.threshold) }), 'It counts from now on.'),
    })
  const writes = may('search_config', 'write')
  return (
    <Part title="Questions to the graph" query={config} aside={writes && config.data && <span className="actions"><button onClick={() => change(config.data)}>Change…</button><button onClick={setThreshold}>Similarity…</button></span>}>
      {(g) => (
        <>
          <dl className="pairs">
            {limits.map(([name, label]) => (
              <div key={name} className="pair">
                <dt>{label}</dt>
                <dd>{count(g[name])}</dd>
              </div>
            ))}
            <dt>Searches show concepts from a similarity of</dt>
            <dd>{now}</dd>
          </dl>
          {dialog}
        </>
      )}
    </Part>
  )
}

/** Rules checks the rules that the graph keeps, each over all of it, and repairs what is safe to repair. */
function Rules() {
  const may = useMay()
  const [ask, dialog] = useAct()
  const rules = useRead<Schemas['CheckList']>('/admin/graph/checks')
  const [found, setFound] = useState<Record<string, Schemas['GraphChecked'] | 'checking'>>({})
  const check = async (name: string) => {
    setFound((was) => ({ ...was, [name]: 'checking' }))
    try {
      const said = await get<Schemas['GraphChecked']>('/admin/graph/checks/' + name)
      setFound((was) => ({ ...was, [name]: said }))
    } catch (err) {
      toast((err as Error).message, true)
      setFound(({ [name]: _, ...rest }) => rest)
    }
  }
  const checkAll = async (list: Schemas['GraphCheck'][]) => {
    for (const r of list) await check(r.name)
  }
  const repair = (r: Schemas['GraphCheck']) =>
    ask({
      title: `Repair: ${r.rule}?`, confirm: 'Repair', danger: true, text: 'It ' + r.repair + '.',
      run: async () => {
        const done = await post<Schemas['GraphRepaired']>(`/admin/graph/checks/${r.name}/repair`)
        await check(r.name)
        return `${count(done.repaired)} rows repaired.`
      },
    })
  return (
    <Part title="Rules of the graph" query={rules} aside={<button onClick={() => void checkAll(rules.data?.checks ?? [])} disabled={Object.values(found).includes('checking')}>Check all</button>}>
      {(data) => (
        <>
          <Table label="Rules of the graph" rows={data.checks ?? []} keyOf={(r) => r.name} empty="There is no rule."
            columns={[
              { head: 'Rule', cell: (r) => r.rule, kind: 'name' },
              {
                head: 'Is', kind: 'name',
                cell: (r) => {
                  const f = found[r.name]
                  if (!f) return <span className="muted">not checked</span>
                  if (f === 'checking') return 'checking…'
                  if (f.broken === 0) return <span className="status completed">kept</span>
                  return <><span className="status failed">{count(f.broken)} times broken</span><small>such as {(f.examples ?? []).join('; ')}</small></>
                },
              },
              { head: 'Check', cell: (r) => <button onClick={() => void check(r.name)} aria-label={`Check: ${r.rule}`}>Check</button> },
              may('database', 'execute') && {
                head: 'Repair',
                cell: (r) => {
                  const f = found[r.name]
                  return r.repair && f && f !== 'checking' && f.broken > 0 ? <button onClick={() => repair(r)}>Repair…</button> : null
                },
              },
            ]} />
          {dialog}
        </>
      )}
    </Part>
  )
}
