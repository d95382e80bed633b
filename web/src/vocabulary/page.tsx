import { Link, useLocation, useSearchParams } from 'wouter'
import { post, request, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { useAct } from '../ui/act'
import { filled, textOf } from '../ui/field'
import { count, plural } from '../ui/format'
import { Empty, Page } from '../ui/page'
import { Part, useRead } from '../ui/read'
import { Table } from '../ui/table'
import { Tabs } from '../ui/tabs'
import { share } from '../ui/units'
import { MergesTab, ReviewsTab } from './merges'
import { TypePart } from './type'

/** VocabularyPage lists the types of relationships with their measures; pairs that may mean the same are reviewed here, and merges undone. */
export default function VocabularyPage() {
  const [at] = useLocation()
  const [search] = useSearchParams()
  const type = search.get('type')
  return (
    <Page title={at === '/vocabulary' && type ? type : 'Vocabulary'}>
      <Tabs label="Vocabulary" tabs={[['/vocabulary', 'Types'], ['/vocabulary/reviews', 'Pairs to review'], ['/vocabulary/merges', 'Merges']]} />
      {at === '/vocabulary' ? type ? <TypePart key={type} type={type} /> : <><Size /><Types /></> : at === '/vocabulary/reviews' ? <ReviewsTab /> : at === '/vocabulary/merges' ? <MergesTab /> : (
        <Empty title="There is no page at this address.">Choose one above.</Empty>
      )}
    </Page>
  )
}

const zones: Record<string, string> = { comfort: 'as many as it should have', watch: 'more than it should have', merge: 'so many that types should be merged', mixed: 'more than it should have', emergency: 'far too many' }

function Size() {
  const may = useMay()
  const writes = may('vocabulary', 'write')
  const [ask, dialog] = useAct()
  const status = useRead<Schemas['VocabularyStatus']>('/vocabulary/status')
  const config = useRead<Schemas['VocabularySettings']>('/vocabulary/config')
  const change = (c: Schemas['VocabularySettings']) => {
    const fields: [name: 'vocab_min' | 'vocab_max' | 'vocab_emergency' | 'review_threshold' | 'auto_execute_threshold', label: string][] = [['vocab_min', 'At least so many types'], ['vocab_max', 'At most'], ['vocab_emergency', 'Far too many from'], ['review_threshold', 'Pairs are shown from a similarity of'], ['auto_execute_threshold', 'Merged without asking from']]
    ask({
      title: 'Size of the vocabulary', confirm: 'Change', fields: fields.map(([name, label]) => ({ name, label, kind: 'number', step: 'any', min: 0, required: true, value: String(c[name]) })),
      changes: (v) => fields.filter(([n]) => Number(v[n]) !== c[n]).map(([n, label]) => `${label}: ${c[n]} → ${Number(v[n])}`),
      run: async (v) => (await request('PUT', '/vocabulary/config', filled(v, fields.map(([n]) => n))), 'It counts from now on.'),
    })
  }
  const job = (title: string, text: string, path: string, body: object) => () =>
    ask({
      title, confirm: 'Do it', text,
      run: async () => {
        const { job_id } = await post<{ job_id: string }>(path, { ...body, wait: false })
        return <p>The job <Link href={'/jobs/' + job_id}>{job_id}</Link> does it.</p>
      },
    })
  return (
    <Part title="Size" query={status} aside={
      writes && (
        <span className="actions">
          {config.data && <button onClick={() => change(config.data)}>Change…</button>}
          <button onClick={job('Merge types that mean the same?', 'A job merges what is alike enough, and puts the other pairs up for review. Each merge can be undone.', '/vocabulary/consolidate', { auto_mode: true })}>Merge alike ones…</button>
          <button onClick={job('Sort types into categories?', 'A job does it, by what they mean.', '/vocabulary/refresh-categories', {})}>Sort…</button>
        </span>
      )
    }>
      {(data) => (
        <>
          <p>
            {plural(data.vocab_size, 'type')} in {plural(data.categories, 'category', 'categories')}, {count(data.builtin_types)} of them built in: {zones[data.zone] ?? data.zone}. There should be {data.vocab_min} to {data.vocab_max}.
          </p>
          {dialog}
        </>
      )}
    </Part>
  )
}

function Types() {
  const writes = useMay()('vocabulary', 'write')
  const [ask, dialog] = useAct()
  const [search, setSearch] = useSearchParams()
  const inactive = search.get('inactive') === '1'
  const typed = search.get('q') ?? ''
  const category = search.get('category') ?? ''
  const list = useRead<Schemas['TypeList']>('/vocabulary/types?include_builtin=true' + (inactive ? '&include_inactive=true' : ''))
  const put = (name: string, value: string) =>
    setSearch((was) => {
      const next = new URLSearchParams(was)
      if (value) next.set(name, value)
      else next.delete(name)
      return next
    }, { replace: true })
  const categories = [...new Set((list.data?.types ?? []).map((t) => t.category))].sort()
  const create = () =>
    ask({
      title: 'New type', confirm: 'Add the type', fields: [{ name: 'relationship_type', label: 'Name', required: true, help: 'such as FLOWS_INTO' }, { name: 'category', label: 'Category', options: categories }, { name: 'description', label: 'What it means' }],
      run: async (v) => (await post('/vocabulary/types', { ...filled(v), relationship_type: textOf(v.relationship_type).toUpperCase() }), 'The type is added.'),
    })
  return (
    <>
      <Part title="Types" query={list} aside={writes && <button className="primary" onClick={create}>New type…</button>}>
        {(data) => {
          const rows = (data.types ?? []).filter((t) => t.relationship_type.toLowerCase().includes(typed.toLowerCase()) && (!category || t.category === category)).sort((a, b) => (b.edge_count ?? 0) - (a.edge_count ?? 0))
          return (
            <>
              <div className="filters">
                <label>Name<input type="search" value={typed} onChange={(e) => put('q', e.target.value)} /></label>
                <label>
                  Category
                  <select value={category} onChange={(e) => put('category', e.target.value)}>
                    <option value="">any</option>
                    {categories.map((c) => <option key={c}>{c}</option>)}
                  </select>
                </label>
                <label className="check"><input type="checkbox" checked={inactive} onChange={(e) => put('inactive', e.target.checked ? '1' : '')} />those that were merged too</label>
              </div>
              <Table label="Types" rows={rows} keyOf={(t) => t.relationship_type} empty="No type is called so."
                columns={[
                  { head: 'Type', cell: (t) => <><Link href={'/vocabulary?type=' + encodeURIComponent(t.relationship_type)}>{t.relationship_type}</Link>{!t.is_active && <small className="warning">merged</small>}</>, kind: 'name' },
                  { head: 'Category', cell: (t) => <>{t.category}{t.category_ambiguous && <small className="warning">not certain</small>}</> },
                  { head: 'Relationships', cell: (t) => (t.edge_count == null ? '' : count(t.edge_count)), kind: 'num' },
                  { head: 'Status', cell: (t) => t.epistemic_status?.toLowerCase().replaceAll('_', ' ') },
                  { head: 'Grounding', cell: (t) => share(t.avg_grounding), kind: 'num' },
                  { head: 'From', cell: (t) => (t.is_builtin ? 'built in' : (t.added_by ?? 'documents')) },
                ]} />
            </>
          )
        }}
      </Part>
      {dialog}
    </>
  )
}
