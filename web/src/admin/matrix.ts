import type { Schemas } from '../api/client'

type Grant = Schemas['RoleGrant']
type Role = Pick<Schemas['Role'], 'role_name' | 'parent_role'>

/** What a role may do of something: how far, and by which rights. */
export interface Cell {
  reach: string // "" is not at all
  why: string
  grant: Grant | null // the right of the role itself, which can be taken away
}

const far = ['global', 'filter', 'own', 'instance']

/** lineOf is a role and all whose rights it has, the nearest first. */
export function lineOf(roles: Role[], role: string): string[] {
  const line: string[] = []
  for (let at: string | null | undefined = role; at && !line.includes(at); at = roles.find((r) => r.role_name === at)?.parent_role) line.push(at)
  return line
}

/** cellOf says what a role may do, by its own rights and those of the roles whose rights it has. A denial wins over what is granted; of several grants the one that reaches furthest is named first. */
export function cellOf(grants: Grant[], roles: Role[], role: string, resource: string, action: string): Cell {
  const line = lineOf(roles, role)
  const found = grants
    .filter((g) => line.includes(g.role_name) && [resource, '*'].includes(g.resource_type) && [action, '*'].includes(g.action))
    .sort((a, b) => far.indexOf(a.scope_type) - far.indexOf(b.scope_type) || line.indexOf(a.role_name) - line.indexOf(b.role_name))
  const denied = found.find((g) => !g.granted)
  const first = denied ?? found[0]
  if (!first) return { reach: '', why: 'nothing grants it', grant: null }
  const says = (g: Grant) => `${g.granted ? 'granted' : 'denied'} ${g.role_name === role ? 'to the role itself' : 'to ' + g.role_name + ', whose rights it has'}${g.scope_type === 'global' ? '' : `, ${scopes[g.scope_type] ?? g.scope_type}`}${g.scope_id ? ' ' + g.scope_id : ''}`
  return { reach: denied ? 'denied' : first.scope_type === 'global' ? 'all' : first.scope_type, why: found.map(says).join('; '), grant: found.find((g) => g.role_name === role) ?? null }
}

const scopes: Record<string, string> = { own: 'for what one owns', filter: 'for some rows', instance: 'for the one' }
