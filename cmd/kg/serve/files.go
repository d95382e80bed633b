package serve

import (
	"fmt"
	"math"
)

const (
	otherConnections = 5000 // beside event streams, when nobody chose how many
	reserveForProbes = 128  // connections beyond the limit, which only probes get an answer on
	otherFiles       = 200  // that the process has open besides: the log, its own PostgreSQL's sockets, event sources
)

// connectionLimit returns how many connections of clients may be open at once, of
// a process that may have so many files open: what was chosen, or enough for the
// event streams and others, as far as the files go. It returns an error when there
// are not files enough for what was chosen.
func (s *Settings) connectionLimit(files int) (int, error) {
	room := files - s.Pools.Jobs - s.Pools.Graph - s.Pools.Auth - reserveForProbes - otherFiles
	switch {
	case s.Connections == 0:
		return max(min(s.Streams+otherConnections, room), 16), nil
	case s.Connections > room:
		return 0, fmt.Errorf("KG_MAX_CONNECTIONS: %d connections need more open files than this process may have (%d, enough for %d): raise the limit (ulimit -n, LimitNOFILE), or lower the setting", s.Connections, files, max(room, 0))
	}
	return s.Connections, nil
}

// anyFiles is where the system does not say how many files may be open.
const anyFiles = math.MaxInt32
