package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/textproto"
	"runtime"
	"strings"
	"sync"
	"time"
)

// bareFanout writes events to clients with nothing behind it but loops over TCP
// connections, one for each processor, and returns how long each took from the
// first write to the last client's read. The clients are those that read the
// servers' streams.
func bareFanout(ctx context.Context, clients, events int) (took []time.Duration, err error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer listener.Close()
	accepted := make(chan []net.Conn, 1)
	go func() { accepted <- acceptAll(listener, clients) }()
	all, err := newAudience()
	if err != nil {
		return nil, err
	}
	defer all.close()
	if err := all.open(ctx, listener.Addr().String(), make([]seat, clients)); err != nil {
		return nil, err
	}
	conns := <-accepted
	defer func() {
		for _, c := range conns {
			_ = c.Close()
		}
	}()
	data := strings.Repeat("x", 200) // about a progress event
	for n := range events {
		e := event{seq: int64(n + 1)}
		began := time.Now()
		writeAll(conns, fmt.Appendf(nil, "id: %d\nevent: progress\ndata: %s\n\n", e.seq, data))
		err := all.until(ctx, eventTimeout, "all clients have a bare event", func() bool { return all.arrivals[e].clients == clients })
		if err != nil {
			return nil, err
		}
		took = append(took, all.arrival(e).last.Sub(began))
	}
	return took, nil
}

// acceptAll accepts connections and answers each request with an empty snapshot.
func acceptAll(listener net.Listener, clients int) []net.Conn {
	var conns []net.Conn
	for range clients {
		c, err := listener.Accept()
		if err != nil {
			return conns // the clients wait in vain, and say so
		}
		conns = append(conns, c)
		lines := textproto.NewReader(bufio.NewReaderSize(c, 512))
		for line, err := "?", error(nil); line != "" && err == nil; {
			line, err = lines.ReadLine()
		}
		_, _ = fmt.Fprint(c, "HTTP/1.1 200 OK\r\n\r\nevent: snapshot\ndata: {}\n\n") // see above
	}
	return conns
}

// writeAll writes a frame to all connections.
func writeAll(conns []net.Conn, frame []byte) {
	var group sync.WaitGroup
	share := (len(conns) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	for from := 0; from < len(conns); from += share {
		group.Go(func() {
			for _, c := range conns[from:min(from+share, len(conns))] {
				_, _ = c.Write(frame) // a client that has gone is missed at its end
			}
		})
	}
	group.Wait()
}
