import { useMemo } from 'react'
import type { Schemas } from '../api/client'
import { Canvas } from './canvas'
import { join, type Edge, type Node } from './graph'
import { lookOf } from './look'

const none: never[] = []
const noPath = new Set<string>()
const nothing = () => {}

/** Small draws some concepts and the relationships among them; a click opens one in the explorer. */
export default function Small({ concepts, relationships, onOpen }: { concepts: Schemas['AskConcept'][]; relationships: Schemas['AskRelationship'][]; onOpen: (id: string) => void }) {
  const shown = useMemo(() => {
    const ends = relationships.flatMap((r) => [{ concept_id: r.from_id, label: r.from_label }, { concept_id: r.to_id, label: r.to_label }])
    const nodes = [...concepts, ...ends].map((c) => ({ concept_id: c.concept_id, label: c.label, degree: 0, distance: 0 }) as Node)
    const edges = relationships.map((r) => ({ from_concept_id: r.from_id, relationship_type: r.relationship_type, to_concept_id: r.to_id, confidence: r.confidence }) as Edge)
    return join([{ nodes, edges }])
  }, [concepts, relationships])
  const look = useMemo(() => lookOf(shown, { color: 'plain', size: 'shown' }), [shown])
  return <div className="small"><Canvas shown={shown} look={look} open="" path={noPath} pinned={none} onOpen={onOpen} onExpand={onOpen} onPin={nothing} drawn={nothing} /></div>
}
