package storage

// GraphName is the schema with the graph.
const GraphName = "kg_api"

// DatabaseInfo is which database a server uses.
type DatabaseInfo struct {
	URI       string  `json:"uri" doc:"Without the password"`
	User      string  `json:"user"`
	Database  string  `json:"database"`
	GraphName string  `json:"graph_name" doc:"The schema with the graph"`
	Connected bool    `json:"connected"`
	Version   *string `json:"version" doc:"Of PostgreSQL"`
	Edition   *string `json:"edition" doc:"Always null"`
	Error     *string `json:"error"`
}
