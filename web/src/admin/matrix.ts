import type { Schemas } from '../api/client'

type Grant = Schemas['RoleGrant']

/** What a role may do of something: how far, and by which of its rights. */
export interface Cell {
  reach: string // "" is not at all
  why: string
  grant: Grant | null // the right of the role itself, which can be taken away
}

const far = ['global', 'filter', 'own', 'instance']

/** cellOf says what a role may do. A denial wins over what is granted; of several grants the one that reaches furthest is named first. */
export function cellOf(grants: Grant[], role: string, resource: string, action: string): Cell {
  const fits = (g: Grant) => g.role_name === role && [resource, '*'].includes(g.resource_type) && [action, '*'].includes(g.action)
  const found = grants.filter(fits).sort((a, b) => far.indexOf(a.scope_type) - far.indexOf(b.scope_type))
  const denied = found.find((g) => !g.granted)
  const first = denied ?? found[0]
  if (!first) return { reach: '', why: 'nothing grants it', grant: null }
  const says = (g: Grant) => `${g.granted ? 'granted' : 'denied'} ${g.inherited_from ? 'by ' + g.inherited_from : 'to the role itself'}${g.scope_type === 'global' ? '' : ', ' + g.scope_type}${g.scope_id ? ' ' + g.scope_id : ''}`
  return { reach: denied ? 'denied' : first.scope_type === 'global' ? 'all' : first.scope_type, why: found.map(says).join('; '), grant: first.inherited_from ? null : first }
}
