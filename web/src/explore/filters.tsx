import { useQuery } from '@tanstack/react-query'
import { get, type Schemas } from '../api/client'
import { useMay } from '../signin/session'
import { count } from '../ui/format'
import { colorings, sizings, type Address, type Coloring, type Shown, type Sizing } from './graph'

const statuses = ['WELL_GROUNDED', 'MIXED_GROUNDING', 'WEAK_GROUNDING', 'POORLY_GROUNDED', 'CONTRADICTED', 'HISTORICAL', 'INSUFFICIENT_DATA']

const spoken = (name: string) => name.toLowerCase().replaceAll('_', ' ')

/** Filters says what of the graph is shown, and how it looks. */
export function Filters({ at, shown, change }: { at: Address; shown: Shown; change: (part: Partial<Address>) => void }) {
  const may = useMay()
  const ontologies = useQuery({ queryKey: ['ontologies'], queryFn: ({ signal }) => get<Schemas['OntologyList']>('/ontology/', signal), enabled: may('ontologies', 'read') })
  const known = useQuery({ queryKey: ['types'], queryFn: ({ signal }) => get<Schemas['TypeList']>('/vocabulary/types', signal), enabled: may('vocabulary', 'read') })
  const types = (known.data?.types ?? []).filter((t) => (t.edge_count ?? 0) > 0).map((t) => t.relationship_type)
  const offered = [...new Set([...at.types, ...(known.data ? types : [...shown.edges.values()].map((e) => e.relationship_type))])].sort()
  const measured = [...new Set([...at.statuses, ...(known.data?.types ?? []).flatMap((t) => (t.epistemic_status && (t.edge_count ?? 0) > 0 ? [t.epistemic_status] : []))])]
  const toggle = (list: string[], value: string) => (list.includes(value) ? list.filter((v) => v !== value) : [...list, value])
  return (
    <div className="filters" role="group" aria-label="Filters">
      <label>
        Ontology
        <select value={at.ontology} onChange={(e) => change({ ontology: e.target.value })}>
          <option value="">all</option>
          {(ontologies.data?.ontologies ?? []).map((o) => <option key={o.ontology}>{o.ontology}</option>)}
          {at.ontology && !ontologies.data?.ontologies?.some((o) => o.ontology === at.ontology) && <option>{at.ontology}</option>}
        </select>
      </label>
      <Choice name="Relationships" chosen={at.types} offered={offered} toggle={(v) => change({ types: toggle(at.types, v) })} clear={() => change({ types: [] })} />
      <label>
        Confidence at least {at.confidence} %
        <input type="range" min={0} max={100} step={5} value={at.confidence} onChange={(e) => change({ confidence: Number(e.target.value) })} />
      </label>
      <Choice name="Epistemic status" chosen={at.statuses} offered={measured.length > 0 ? measured : statuses} toggle={(v) => change({ statuses: toggle(at.statuses, v) })} clear={() => change({ statuses: [] })} />
      <label>
        Colour
        <select value={at.color} onChange={(e) => change({ color: e.target.value as Coloring })}>
          {Object.entries(colorings).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
      </label>
      <label>
        Size
        <select value={at.size} onChange={(e) => change({ size: e.target.value as Sizing })}>
          {Object.entries(sizings).map(([value, name]) => <option key={value} value={value}>{name}</option>)}
        </select>
      </label>
    </div>
  )
}

function Choice({ name, chosen, offered, toggle, clear }: { name: string; chosen: string[]; offered: string[]; toggle: (value: string) => void; clear: () => void }) {
  return (
    <details className="choice">
      <summary>{name}{chosen.length > 0 ? `: ${count(chosen.length)} chosen` : ': all'}</summary>
      <div className="choices">
        {chosen.length > 0 && <button onClick={clear}>All</button>}
        {offered.map((value) => (
          <label key={value} className="check">
            <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} />
            {spoken(value)}
          </label>
        ))}
      </div>
    </details>
  )
}
