package telemetry

import (
	"context"
	"time"
)

// graph counts the changes of the graph.
type graph interface {
	Epoch(ctx context.Context) (int64, error)
}

// databaseHealth is how the database is. Each check is "ok" or "failed".
type databaseHealth struct {
	Status     string            `json:"status" doc:"healthy, degraded or unhealthy"`
	Responsive bool              `json:"responsive"`
	Checks     map[string]string `json:"checks"`
	Connection string            `json:"connection" doc:"ok or failed"`
	Graph      bool              `json:"graph_available"`
	Error      string            `json:"error,omitempty"`
}

// databaseHealth checks the database now. It answers within probeTimeout,
// however the database is.
func (a *API) databaseHealth(ctx context.Context, _ *struct{}) (databaseHealth, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	started := time.Now()
	out := databaseHealth{Status: "healthy", Responsive: true, Checks: map[string]string{"connection": "ok", "graph": "ok"}}
	if _, err := a.cfg.Graph.Epoch(ctx); err != nil {
		out.Status, out.Checks["graph"], out.Error = "degraded", "failed", "the graph cannot be read"
	}
	if err := a.cfg.Health.Ping(ctx); err != nil {
		out.Status, out.Checks["connection"], out.Error = "unhealthy", "failed", "the database does not answer"
	}
	out.Connection, out.Graph = out.Checks["connection"], out.Checks["graph"] == "ok"
	out.Responsive = out.Status != "unhealthy" && time.Since(started) < probeTimeout
	return out, nil
}
