package notify

import (
	"encoding/binary"
	"io"
	"net"
)

// servePooled returns how a transaction pooler serves: each statement goes to
// the next of so many sessions, and what a session says while no statement runs
// is dropped. It understands the simple protocol only.
func servePooled(sessions int) func(p *proxy, client net.Conn) {
	return func(p *proxy, client net.Conn) {
		startup := make([]byte, 4)
		if _, err := io.ReadFull(client, startup); err != nil {
			return
		}
		startup = append(startup, make([]byte, binary.BigEndian.Uint32(startup)-4)...)
		if _, err := io.ReadFull(client, startup[4:]); err != nil {
			return
		}
		servers := make([]net.Conn, sessions)
		for i := range servers {
			server, err := p.dial()
			if err != nil {
				return
			}
			defer server.Close()
			servers[i] = server
			to := io.Writer(client)
			if i > 0 {
				to = io.Discard
			}
			if _, err := server.Write(startup); err != nil || answer(to, server) != nil {
				return
			}
		}
		for i := 0; ; i = (i + 1) % sessions {
			message, err := readMessage(client)
			if err != nil || message[0] == 'X' {
				return
			}
			if _, err := servers[i].Write(message); err != nil || answer(client, servers[i]) != nil {
				return
			}
		}
	}
}

// answer passes on what the server says up to its readiness for the next
// statement. The key that a client could cancel with is the pooler's own.
func answer(to io.Writer, server io.Reader) error {
	for {
		message, err := readMessage(server)
		if err != nil {
			return err
		}
		if message[0] == 'K' {
			binary.BigEndian.PutUint32(message[5:], 1<<30)
		}
		if _, err := to.Write(message); err != nil || message[0] == 'Z' {
			return err
		}
	}
}

// readMessage reads one message: a letter, the length, and what it says.
func readMessage(from io.Reader) ([]byte, error) {
	message := make([]byte, 5)
	if _, err := io.ReadFull(from, message); err != nil {
		return nil, err
	}
	message = append(message, make([]byte, binary.BigEndian.Uint32(message[1:])-4)...)
	_, err := io.ReadFull(from, message[5:])
	return message, err
}
