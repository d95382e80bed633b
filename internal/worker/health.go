package worker

import "net/http"

// Health serves /livez, which answers as long as the process does, and /readyz, which
// says whether the worker is connected and its last heartbeat was answered.
func (w *Worker) Health() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /livez", func(rw http.ResponseWriter, _ *http.Request) { answer(rw, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(rw http.ResponseWriter, _ *http.Request) {
		if err := w.Ready(); err != nil {
			answer(rw, http.StatusServiceUnavailable, err.Error())
			return
		}
		answer(rw, http.StatusOK, "ok")
	})
	return mux
}

func answer(rw http.ResponseWriter, status int, text string) {
	rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
	rw.WriteHeader(status)
	_, _ = rw.Write([]byte(text + "\n"))
}
