package client

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// readAll decodes a whole stream.
func readAll(r io.Reader) (frames []frame, d *sseDecoder, err error) {
	d = newSSEDecoder(r)
	for {
		f, err := d.next()
		if err != nil {
			return frames, d, err
		}
		frames = append(frames, f)
	}
}

func TestSSEDecoder(t *testing.T) {
	for _, tt := range []struct {
		name, stream string
		want         []frame
		retry        time.Duration
	}{
		{name: "an event", stream: "id: 3\nevent: status\ndata: {}\n\n", want: []frame{{"status", "3", "{}"}}},
		{name: "lines end with CR, LF or both", stream: "data: a\r\rdata: b\r\n\r\ndata: c\n\n", want: []frame{{"message", "", "a"}, {"message", "", "b"}, {"message", "", "c"}}},
		{name: "CR and LF are one end", stream: "event: status\r\nid: 1\r\ndata: a\r\n\r\n", want: []frame{{"status", "1", "a"}}},
		{name: "data of several lines", stream: "data: a\ndata\ndata:  b\n\n", want: []frame{{"message", "", "a\n\n b"}}},
		{name: "comments and unknown fields", stream: ": hello\nfoo: bar\nnonsense\ndata:x\n\n", want: []frame{{"message", "", "x"}}},
		{name: "the id lasts", stream: "id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n", want: []frame{{"message", "1", "a"}, {"message", "1", "b"}, {"message", "", "c"}}},
		{name: "an id with NUL is ignored", stream: "id: 1\ndata: a\n\nid: 2\x00\ndata: b\n\n", want: []frame{{"message", "1", "a"}, {"message", "1", "b"}}},
		{name: "an event without data is none", stream: "event: status\nid: 7\n\ndata: a\n\n", want: []frame{{"message", "7", "a"}}},
		{name: "a byte order mark", stream: "\ufeffdata: a\n\n", want: []frame{{"message", "", "a"}}},
		{name: "retry", stream: "retry: 2000\n\nretry: soon\nretry: -1\n\n", retry: 2 * time.Second},
		{name: "an unfinished event is lost", stream: "data: a\n\ndata: b\n", want: []frame{{"message", "", "a"}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, r := range []io.Reader{strings.NewReader(tt.stream), iotest.OneByteReader(strings.NewReader(tt.stream))} {
				got, d, err := readAll(r)
				if !errors.Is(err, io.EOF) || !slices.Equal(got, tt.want) || d.retry != tt.retry {
					t.Errorf("got %q, retry %s, error %v, want %q, retry %s", got, d.retry, err, tt.want, tt.retry)
				}
			}
		})
	}
}

func TestSSEDecoderIsBounded(t *testing.T) {
	for name, stream := range map[string]string{
		"an endless line":  strings.Repeat("x", maxFrameBytes+1),
		"an endless event": strings.Repeat("data: "+strings.Repeat("x", 1000)+"\n", maxFrameBytes/1000),
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := readAll(strings.NewReader(stream)); !errors.Is(err, errFrameTooLong) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// FuzzSSEDecoder checks that no stream panics the decoder, that what it reads
// can be written and read again, and that the size of the reads does not
// matter.
func FuzzSSEDecoder(f *testing.F) {
	f.Add("id: 3\nevent: status\ndata: {}\n\n")
	f.Add("\ufeffdata: a\r\rdata: b\r\n\r\ndata\n\nretry: 5\n: c\n")
	f.Fuzz(func(t *testing.T, stream string) {
		frames, _, err := readAll(strings.NewReader(stream))
		slowly, _, slowErr := readAll(iotest.OneByteReader(strings.NewReader(stream)))
		if !slices.Equal(frames, slowly) || errors.Is(err, io.EOF) != errors.Is(slowErr, io.EOF) {
			t.Fatalf("read at once %q, byte by byte %q", frames, slowly)
		}
		var b strings.Builder
		for _, fr := range frames {
			b.WriteString("id: " + fr.id + "\nevent: " + fr.event + "\n")
			for line := range strings.SplitSeq(fr.data, "\n") {
				b.WriteString("data: " + line + "\n")
			}
			b.WriteString("\n")
		}
		again, _, err := readAll(strings.NewReader(b.String()))
		if !errors.Is(err, io.EOF) || !slices.Equal(again, frames) {
			t.Errorf("wrote %q and read %q, error %v", frames, again, err)
		}
	})
}
