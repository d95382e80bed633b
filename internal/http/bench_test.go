package http

import "testing"

func BenchmarkNew(b *testing.B) {
	cfg := testConfig(newBackend())
	for b.Loop() {
		newTestServer(b, cfg)
	}
}
