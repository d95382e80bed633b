package main

import (
	"slices"
	"testing"
)

// answer is a stream as the server sends it: in chunks.
const answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
	"d\r\nretry: 2000\n\n\r\n" +
	"39\r\nid: 3\nevent: snapshot\ndata: {\"text\": \"id: 9 event: status\"}\n\n\r\n" +
	"5a\r\nid: 4\nevent: status\ndata: {}\n\nid: 12\nevent: progress\ndata: {\"stage\": \"x\"}\n\n" + "event: keepalive\ndata: {}\n\n\r\n"

func TestParser(t *testing.T) {
	want := []int64{int64(snapshot), 3, int64(status), 4, int64(progress), 12, int64(other), 0}
	for size := 1; size <= len(answer); size++ {
		var p parser
		var got []int64
		for arrived := range slices.Chunk([]byte(answer), size) {
			p.feed(arrived, func(k kind, seq int64) { got = append(got, int64(k), seq) })
		}
		if p.code != "200" || !slices.Equal(got, want) {
			t.Fatalf("in pieces of %d bytes: code %q and events %v, want 200 and %v", size, p.code, got, want)
		}
	}
}

func TestParserSeesARefusal(t *testing.T) {
	var p parser
	p.feed([]byte("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 5\r\n\r\n{}"), func(k kind, _ int64) { t.Errorf("got an event of kind %d", k) })
	if p.code != "429" {
		t.Errorf("code %q, want 429", p.code)
	}
}
