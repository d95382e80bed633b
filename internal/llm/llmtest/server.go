// Package llmtest is a server that speaks the APIs of models, as they are on the wire:
// streams, schemas, errors, limits. Tests and benchmarks have it answer as they need.
package llmtest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Call is a request as the server got it.
type Call struct {
	Path   string
	Header http.Header
	Body   map[string]any
	System string
	User   string
	Number int // 1 for the first
}

// Schema returns the JSON schema of the answer that the call asks for, nil for none.
func (c Call) Schema() any {
	if format, _ := c.Body["response_format"].(map[string]any); format != nil {
		schema, _ := format["json_schema"].(map[string]any)
		return schema["schema"]
	}
	if output, _ := c.Body["output_config"].(map[string]any); output != nil {
		format, _ := output["format"].(map[string]any)
		return format["schema"]
	}
	return c.Body["format"]
}

// fence is the line around a passage.
var fence = regexp.MustCompile(`(?m)^=== passage [0-9a-f]+ ===\n`)

// Passage returns what stands within the last fence of the prompt.
func (c Call) Passage() string {
	marks := fence.FindAllString(c.User, -1)
	if len(marks) == 0 {
		return ""
	}
	parts := strings.Split(c.User, marks[len(marks)-1])
	if len(parts) < 3 {
		return ""
	}
	return strings.TrimSuffix(parts[len(parts)-2], "\n")
}

// Reply is how the server answers a call.
type Reply struct {
	Status     int    // 0 is 200
	RetryAfter string // of the header
	Error      string // message of an answer that is no 200
	Text       string // what the model answers
	Cut        bool   // it was cut off by the length
	Refused    bool   // the model refuses
	Input      int    // tokens; 0 counts four bytes as one
	Raw        string // sent in place of a stream, with the status
	Type       string // Content-Type of Raw, or of a Whole answer; "" is application/json
	Whole      bool   // the server does not stream, whatever it is asked for
	Break      int    // the connection breaks off after so many events; 0: it does not
	Drip       time.Duration
	Hang       bool // nothing is sent until the client has gone
	Wait       time.Duration
	Failure    string // an error within the stream
}

// Server answers as Answer says. Its fields are set before the first call.
type Server struct {
	*httptest.Server
	// Answer answers a chat; nil answers with Read of its passage.
	Answer func(Call) Reply
	// EmbedAnswer answers a request for embeddings with a failure; nil embeds.
	EmbedAnswer func(Call) Reply
	Dimensions  int // of embeddings; 0 is 8
	// Delay is how long each chat takes.
	Delay time.Duration

	count  atomic.Int64
	chats  atomic.Int64
	gone   atomic.Int64 // clients that left before their answer was complete
	active atomic.Int64
	most   atomic.Int64

	mu    sync.Mutex
	calls []Call
}

// New starts a server; the caller closes it.
func New() *Server {
	s := &Server{}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Calls returns what was asked.
func (s *Server) Calls() []Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Call(nil), s.calls...)
}

// Chats returns how many chats have begun.
func (s *Server) Chats() int { return int(s.chats.Load()) }

// Most returns how many chats were answered at once at most.
func (s *Server) Most() int { return int(s.most.Load()) }

// Active returns how many chats are being answered.
func (s *Server) Active() int { return int(s.active.Load()) }

// Gone returns how many clients left before their answer was complete.
func (s *Server) Gone() int { return int(s.gone.Load()) }

// mostCalls is how many calls are kept.
const mostCalls = 10_000

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	call := Call{Path: r.URL.Path, Header: r.Header.Clone(), Number: int(s.count.Add(1))}
	_ = json.Unmarshal(body, &call.Body)
	call.System, call.User = prompts(call.Body)
	s.mu.Lock()
	if len(s.calls) < mostCalls {
		s.calls = append(s.calls, call)
	}
	s.mu.Unlock()
	switch path := strings.TrimPrefix(r.URL.Path, "/v1"); path {
	case "/chat/completions", "/messages", "/api/chat":
		s.chat(w, r, call, path)
	case "/embeddings", "/api/embed":
		s.embed(w, call, path)
	default:
		http.NotFound(w, r)
	}
}

// prompts returns the system's and the user's text.
func prompts(body map[string]any) (system, user string) {
	system, _ = body["system"].(string)
	messages, _ := body["messages"].([]any)
	for _, m := range messages {
		message, _ := m.(map[string]any)
		content, _ := message["content"].(string)
		if message["role"] == "system" {
			system = content
		} else {
			user = content
		}
	}
	return system, user
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request, call Call, path string) {
	s.chats.Add(1)
	now := s.active.Add(1)
	for most := s.most.Load(); now > most && !s.most.CompareAndSwap(most, now); most = s.most.Load() {
	}
	defer s.active.Add(-1)
	reply := Reply{Text: Read(call.Passage())}
	if s.Answer != nil {
		reply = s.Answer(call)
	}
	if !s.pause(r, s.Delay+reply.Wait) {
		return
	}
	if reply.Hang {
		<-r.Context().Done()
		s.gone.Add(1)
		return
	}
	if refuse(w, reply, path) {
		return
	}
	if reply.Input == 0 {
		reply.Input = (len(call.System) + len(call.User)) / 4
	}
	contentType, events := stream(path, reply)
	if reply.Whole {
		contentType, events = cmp.Or(reply.Type, "application/json"), []string{whole(path, reply)}
	}
	w.Header().Set("Content-Type", contentType)
	for i, event := range events {
		if reply.Break > 0 && i >= reply.Break {
			panic(http.ErrAbortHandler)
		}
		if _, err := io.WriteString(w, event); err != nil {
			s.gone.Add(1)
			return
		}
		_ = http.NewResponseController(w).Flush()
		if reply.Drip > 0 && !s.pause(r, reply.Drip) {
			return
		}
	}
}

// pause waits, and reports whether the client is still there.
func (s *Server) pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-r.Context().Done():
		s.gone.Add(1)
		return false
	case <-time.After(d):
		return true
	}
}

// refuse sends an answer that is no stream, and reports whether the reply is one.
func refuse(w http.ResponseWriter, reply Reply, path string) bool {
	if reply.Status == 0 && reply.Raw == "" {
		return false
	}
	if reply.RetryAfter != "" {
		w.Header().Set("Retry-After", reply.RetryAfter)
	}
	w.Header().Set("Content-Type", cmp.Or(reply.Type, "application/json"))
	w.WriteHeader(max(reply.Status, http.StatusOK))
	if reply.Raw != "" {
		_, _ = io.WriteString(w, reply.Raw)
		return true
	}
	kind := map[int]string{429: "rate_limit_error", 529: "overloaded_error", 401: "authentication_error"}[reply.Status]
	var body any
	switch path {
	case "/messages":
		body = map[string]any{"type": "error", "error": map[string]string{"type": kind, "message": reply.Error}}
	case "/api/chat", "/api/embed":
		body = map[string]string{"error": reply.Error}
	default:
		body = map[string]any{"error": map[string]any{"message": reply.Error, "type": kind, "code": nil, "param": nil}}
	}
	_ = json.NewEncoder(w).Encode(body)
	return true
}

func (s *Server) embed(w http.ResponseWriter, call Call, path string) {
	if s.EmbedAnswer != nil {
		if refuse(w, s.EmbedAnswer(call), path) {
			return
		}
	}
	inputs, _ := call.Body["input"].([]any)
	dimensions := s.Dimensions
	if dimensions == 0 {
		dimensions = 8
	}
	tokens := 0
	vectors := make([][]float64, len(inputs))
	data := make([]map[string]any, len(inputs))
	for i, input := range inputs {
		text := fmt.Sprint(input)
		tokens += len(text)/4 + 1
		vectors[i] = Vector(text, dimensions)
		data[len(inputs)-1-i] = map[string]any{"object": "embedding", "index": i, "embedding": vectors[i]} // the order is not promised
	}
	w.Header().Set("Content-Type", "application/json")
	if path == "/api/embed" {
		_ = json.NewEncoder(w).Encode(map[string]any{"model": call.Body["model"], "embeddings": vectors, "prompt_eval_count": tokens})
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "usage": map[string]int{"prompt_tokens": tokens, "total_tokens": tokens}})
}
