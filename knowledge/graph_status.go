package knowledge

// GraphState says whether a server has the graph in memory.
type GraphState string

// The states of the graph in memory. Only in GraphReady it is used; otherwise
// queries read the tables.
const (
	GraphOff      GraphState = "off"       // switched off
	GraphLoading  GraphState = "loading"   // it is being loaded, or the database is away
	GraphReady    GraphState = "ready"     // it is used
	GraphBehind   GraphState = "behind"    // the database could not be asked for too long what has changed
	GraphTooLarge GraphState = "too_large" // it does not fit into its memory limit
)

// GraphStatus is what a server knows about its graph in memory.
type GraphStatus struct {
	State    GraphState `json:"state" enum:"off,loading,ready,behind,too_large"`
	Reason   string     `json:"reason" doc:"Why it is not used; empty when it is"`
	Epoch    int64      `json:"epoch" doc:"Of the graph in memory; 0 without one"`
	Concepts int        `json:"concepts"`
	Edges    int        `json:"edges"`
	Bytes    int64      `json:"memory_bytes"`
	Limit    int64      `json:"memory_limit_bytes" doc:"0 when it is switched off"`
	// Lag and Behind say how old the graph in memory is. Lag is nil without one.
	Lag          *float64 `json:"lag_seconds" doc:"Time since the database was last asked what has changed"`
	Behind       *int     `json:"behind_transactions" doc:"Transactions that have changed the graph since then; null when the database does not say"`
	Loads        int64    `json:"loads" doc:"How often the whole graph was loaded"`
	LoadSeconds  float64  `json:"load_seconds" doc:"How long the last load took"`
	Changes      int64    `json:"changes" doc:"Changes of concepts and edges that were applied"`
	Transactions int64    `json:"transactions" doc:"Transactions that made them"`
	// WorkersAllowed and WorkersMost are 0 on servers of a version before.
	WorkersAllowed int `json:"workers_allowed" doc:"Connections that max_workers lets all questions use besides their own"`
	WorkersMost    int `json:"workers_most" doc:"So many of them at most: KG_POOL_GRAPH leaves no more to them"`
	// Search is nil on servers of a version before.
	Search *SearchIndexStatus `json:"search" doc:"What is kept in memory for searches by meaning"`
	// Passages is nil on servers of a version before.
	Passages *PassageIndexStatus `json:"passages" doc:"The index that questions are answered from"`
}
