// Package vocabulary measures relationship types: it embeds them, projects them on
// the axis from disagreement to agreement, and finds out their epistemic status.
//
// What it stores is what the grounding of concepts and the filters by status read, so
// that no question computes it anew. Run keeps it fresh: a type that is new is
// embedded at once, and the statuses are measured anew when the graph has changed:
// Wake says that it has, and every two seconds that is asked.
package vocabulary
