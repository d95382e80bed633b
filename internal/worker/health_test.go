package worker

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// TestHealth answers /readyz with 200 only while the worker is connected, has joined, and
// its last heartbeat was answered; /livez always.
func TestHealth(t *testing.T) {
	inFakeTime(t, 1, done, func(w *work) {
		want := func(context string, ready int) {
			t.Helper()
			for path, status := range map[string]int{"/livez": http.StatusOK, "/readyz": ready} {
				answer := httptest.NewRecorder()
				w.worker.Health().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
				if answer.Code != status {
					t.Errorf("%s: %s answers %d %s", context, path, answer.Code, answer.Body)
				}
			}
		}
		silent := func(event string) {
			w.set(func(s *fakeServer) { s.answers[event] = func(wire.Frame) any { return nil } })
		}
		silent(wire.EventJoin)
		after(5 * time.Second)
		want("before it has joined", http.StatusServiceUnavailable)
		w.set(func(s *fakeServer) { delete(s.answers, wire.EventJoin) })
		after(time.Minute)
		want("connected", http.StatusOK)
		silent(wire.EventExtend)
		after(30 * time.Second)
		want("without an answer to its heartbeat", http.StatusServiceUnavailable)
		w.set(func(s *fakeServer) { delete(s.answers, wire.EventExtend) })
		after(30 * time.Second)
		want("with an answer again", http.StatusOK)
		w.set(func(s *fakeServer) { s.gone = true })
		w.cut()
		after(time.Second)
		want("without a connection", http.StatusServiceUnavailable)
	})
}
