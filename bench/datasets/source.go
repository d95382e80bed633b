//go:build cgo && linux

package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

// source is a web server with ranges and ETags that counts the bytes it sends, headers
// included.
type source struct {
	url    string
	sent   atomic.Int64
	server http.Server
}

func newSource(dir string) (*source, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &source{url: "http://" + listener.Addr().String()}
	files := http.FileServer(http.Dir(dir))
	s.server.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"`+filepath.Base(r.URL.Path)+`"`)
		files.ServeHTTP(w, r)
	})
	go func() { _ = s.server.Serve(counting{listener, &s.sent}) }()
	return s, nil
}

func (s *source) close() { _ = s.server.Close() }

// counting is a listener whose connections count what they send.
type counting struct {
	net.Listener

	sent *atomic.Int64
}

func (l counting) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countingConn{c, l.sent}, err
}

// countingConn hides what the connection offers besides writing, so that nothing is sent
// that is not counted.
type countingConn struct {
	net.Conn

	sent *atomic.Int64
}

func (c countingConn) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.sent.Add(int64(n))
	return n, err
}

// large is the size of the remote file.
const large = 1 << 30

// writeLarge makes a Parquet file of a gibibyte with 20 columns in 8 row groups, as other
// systems write them, of which the middle is a hole: nobody reads it. The places in the
// footer count from the beginning, and stay right.
func (b *bench) writeLarge(ctx context.Context) error {
	var columns []string
	for i := range 20 {
		columns = append(columns, fmt.Sprintf("hash(range + %d) %% 1000 AS column_%d", i, i))
	}
	small := filepath.Join(b.dir, "small.parquet")
	query := "COPY (SELECT " + strings.Join(columns, ", ") + " FROM range(16384)) TO '" + small + "' (FORMAT parquet, ROW_GROUP_SIZE 2048)" //nolint:gosec // nothing of it comes from outside
	if _, err := b.duck.db.ExecContext(ctx, query); err != nil {
		return err
	}
	content, err := os.ReadFile(small)
	if err != nil {
		return err
	}
	const trailer = 8 // the length of the footer, and PAR1
	footer := len(content) - trailer - int(binary.LittleEndian.Uint32(content[len(content)-trailer:]))
	file, err := os.Create(filepath.Join(b.dir, "large.parquet"))
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Write(content[:footer]); err != nil {
		return err
	}
	if _, err := file.Seek(large-int64(len(content)-footer), io.SeekStart); err != nil {
		return err
	}
	_, err = file.Write(content[footer:])
	return err
}

// footer asks for the schema of a large file.
func (b *bench) footer(ctx context.Context) error {
	if err := b.writeLarge(ctx); err != nil {
		return err
	}
	s, err := b.serve(ctx, "KG_DATASET_WORKERS=1")
	if err != nil {
		return err
	}
	defer s.Stop()
	b.files.sent.Store(0)
	began := time.Now()
	schema, err := s.API.Datasets.Schema(ctx, b.files.url+"/large.parquet")
	if err != nil {
		return err
	}
	spent := time.Since(began)
	const most = 64 << 10
	sent := b.files.sent.Load()
	b.add("schema of a remote file of 1 GiB", "≤ 64 KiB transferred", sent <= most && schema.SizeBytes == large,
		"%.1f KiB in %s; %d rows, %d columns", float64(sent)/1024, short(spent), schema.RowCount, len(schema.Columns))
	return nil
}
