package e2e

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/kappagraph/kappa/internal/otlp/otlptest"
)

// TestMetricsPushed has a server push its metrics to a collector: each that GET /metrics shows.
func TestMetricsPushed(t *testing.T) {
	t.Parallel()
	c := otlptest.Start(t)
	s := startServer(t, map[string]string{"OTEL_METRICS_EXPORTER": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": c.URL, "OTEL_METRIC_EXPORT_INTERVAL": "200"})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+"/metrics", http.NoBody)
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+s.token(t))
	resp, err := http.DefaultClient.Do(req)
	check(t, err)
	defer resp.Body.Close()
	shown, err := io.ReadAll(resp.Body)
	check(t, err)
	names := regexp.MustCompile(`(?m)^# TYPE (\S+) `).FindAllStringSubmatch(string(shown), -1)
	if len(names) < 60 {
		t.Fatalf("%d metrics are shown", len(names))
	}
	var missing []string
	until(t, func() bool {
		pushed := map[string]bool{}
		for _, m := range c.Metrics() {
			pushed[m.GetName()] = true
			if m.Resource["service.name"] != "kappa" {
				t.Fatalf("%s is of %v", m.GetName(), m.Resource)
			}
		}
		missing = missing[:0]
		for _, name := range names {
			if !pushed[name[1]] {
				missing = append(missing, name[1])
			}
		}
		return len(missing) == 0
	}, func() string { return fmt.Sprintf("shown, and not pushed: %q", missing) })
}
