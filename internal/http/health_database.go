package http

import (
	"context"
	"time"
)

// inventory tells how often the graph has changed.
type inventory interface {
	Epoch(ctx context.Context) (int64, error)
}

// databaseHealth is how the database is. Each check is "ok" or "failed".
type databaseHealth struct {
	Status     string            `json:"status" doc:"healthy, degraded or unhealthy"`
	Responsive bool              `json:"responsive"`
	Checks     map[string]string `json:"checks"`
	Error      string            `json:"error,omitempty"`
}

// databaseHealth looks at the database now. It answers within probeTimeout,
// however the database is.
func (s *Server) databaseHealth(ctx context.Context, _ *struct{}) (databaseHealth, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	started := time.Now()
	out := databaseHealth{Status: "healthy", Responsive: true, Checks: map[string]string{"connection": "ok", "graph": "ok"}}
	if _, err := s.cfg.Inventory.Epoch(ctx); err != nil {
		out.Status, out.Checks["graph"], out.Error = "degraded", "failed", "the graph cannot be read"
	}
	if err := s.cfg.Health.Ping(ctx); err != nil {
		out.Status, out.Checks["connection"], out.Error = "unhealthy", "failed", "the database does not answer"
	}
	out.Responsive = out.Status != "unhealthy" && time.Since(started) < probeTimeout
	return out, nil
}
