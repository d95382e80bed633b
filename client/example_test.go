package client_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

// A program logs in once, keeps the credentials of the client that it gets, and
// connects with them from then on.
func Example_connect() {
	server := exampleServer()
	defer server.Close()
	ctx := context.Background()

	anonymous, err := client.New(client.Config{BaseURL: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	made, err := anonymous.Login(ctx, "admin", "correct horse", "nightly import")
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.New(client.Config{BaseURL: server.URL, ClientID: made.ClientID, ClientSecret: made.Secret})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	ontologies, err := c.Ontologies.List(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range ontologies {
		fmt.Println(o.Name, o.ConceptCount)
	}
	// Output:
	// notes 12
}

// A document is submitted and becomes a job, which is followed to its end.
func ExampleDocuments_Submit() {
	server := exampleServer()
	defer server.Close()
	ctx := context.Background()
	c, err := client.New(client.Config{BaseURL: server.URL, ClientID: "kg-import-1", ClientSecret: "secret"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	submitted, err := c.Documents.Submit(ctx, client.Document{
		Body: []byte("A lane is a named group of job types."), Filename: "lanes.txt", Ontology: "notes", AutoApprove: true,
	})
	if err != nil {
		log.Fatal(err)
	}
	for update, err := range c.Jobs.Watch(ctx, submitted.JobID) {
		if err != nil {
			log.Fatal(err)
		}
		if status := update.Status(); status != "" {
			fmt.Println(status)
		}
	}
	// Output:
	// approved
	// processing
	// completed
}

// A watch whose connection breaks goes on after the last event that it has seen:
// it sends Last-Event-ID. Each event comes once.
func ExampleJobs_Watch() {
	server := exampleServer() // cuts the first stream off after two events
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, ClientID: "kg-import-1", ClientSecret: "secret"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	for update, err := range c.Jobs.Watch(context.Background(), "job_2") {
		if err != nil {
			log.Fatal(err)
		}
		switch update.Kind {
		case client.UpdateSnapshot:
			fmt.Println("now", update.Job.Status)
		case work.EventProgress:
			fmt.Println(update.Seq, "progress", update.Progress.Percent)
		default:
			fmt.Println(update.Seq, update.Status())
		}
	}
	// Output:
	// now processing
	// 3 progress 50
	// 4 progress 75
	// 5 completed
}

// A list comes page by page, each asked for when the one before has been read.
func ExampleDocuments_All() {
	server := exampleServer() // has two pages of documents
	defer server.Close()
	c, err := client.New(client.Config{BaseURL: server.URL, ClientID: "kg-import-1", ClientSecret: "secret"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	for document, err := range c.Documents.All(context.Background(), corpus.PageQuery{Limit: 2}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(document.Filename)
	}
	// Output:
	// lanes.txt
	// workers.txt
	// queues.txt
}

// An error of the server has a code to decide by, and a message for people. A
// server that did not answer at all is client.ErrUnreachable.
func ExampleJobs_Get() {
	server := exampleServer()
	c, err := client.New(client.Config{BaseURL: server.URL, ClientID: "kg-import-1", ClientSecret: "secret"})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()

	_, err = c.Jobs.Get(context.Background(), "job_9")
	fmt.Println(kappa.ErrorCode(err) == kappa.CodeNotFound, err)
	server.Close()
	_, err = c.Jobs.Get(context.Background(), "job_9")
	fmt.Println(errors.Is(err, client.ErrUnreachable))
	// Output:
	// true Job not found: job_9
	// true
}

// exampleServer answers as a server of Kappa does.
func exampleServer() *httptest.Server {
	mux := http.NewServeMux()
	for route, body := range map[string]string{
		"POST /auth/oauth/token":            `{"access_token":"t","token_type":"bearer","expires_in":3600}`,
		"POST /auth/oauth/clients/personal": `{"client_id":"kg-import-1","client_secret":"secret","client_name":"nightly import","scopes":["read:*"],"created_at":"2026-01-31T08:00:00Z"}`,
		"GET /ontology/":                    `{"count":1,"ontologies":[{"ontology":"notes","concept_count":12}]}`,
		"POST /ingest":                      `{"job_id":"job_1","status":"pending","message":"Job submitted"}`,
	} {
		mux.HandleFunc(route, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, body)
		})
	}
	mux.HandleFunc("GET /documents", func(w http.ResponseWriter, r *http.Request) {
		page := `{"documents":[{"filename":"lanes.txt"},{"filename":"workers.txt"}],"total":3,"next_cursor":"c2"}`
		if r.URL.Query().Get("cursor") == "c2" {
			page = `{"documents":[{"filename":"queues.txt"}],"total":3,"next_cursor":null}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, page)
	})
	mux.HandleFunc("GET /jobs/job_9", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/problem+json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"title":"Not Found","status":404,"detail":"Job not found: job_9"}`)
	})
	stream(mux, "job_1",
		`1 snapshot {"job_id":"job_1","status":"approved","event_seq":1}`,
		`2 status {"status":"processing"}`,
		`3 completed {}`)
	stream(mux, "job_2",
		`2 snapshot {"job_id":"job_2","status":"processing","event_seq":2}`,
		`3 progress {"percent":50}`,
		`4 progress {"percent":75}`,
		`5 completed {}`)
	return httptest.NewServer(mux)
}

// stream serves the stream of a job, each event as "number kind data". It cuts the
// first connection to that of job_2 off after two events, and goes on after
// Last-Event-ID.
func stream(mux *http.ServeMux, id string, events ...string) {
	mux.HandleFunc("GET /jobs/"+id+"/stream", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "retry: 10\n\n")
		last, cut := r.Header.Get("Last-Event-ID"), 0
		for _, e := range events {
			number, rest, _ := strings.Cut(e, " ")
			kind, data, _ := strings.Cut(rest, " ")
			if last != "" && number <= last {
				continue
			}
			fmt.Fprintf(w, "id: %s\nevent: %s\ndata: %s\n\n", number, kind, data)
			if cut++; id == "job_2" && last == "" && cut == 2 {
				return
			}
		}
	})
}
