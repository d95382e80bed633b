package notify

import (
	"encoding/binary"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// servePooled returns how a transaction pooler serves: each statement goes to
// the next of so many sessions, and what a session says while no statement runs
// is dropped. It logs in to them itself, and understands the simple protocol only.
func servePooled(sessions int) func(p *proxy, client net.Conn) {
	return func(p *proxy, client net.Conn) {
		if skipStartup(client) != nil {
			return
		}
		servers := make([]net.Conn, sessions)
		var greeting []byte
		for i := range servers {
			session, err := p.session()
			if err != nil {
				return
			}
			defer session.Conn.Close()
			servers[i] = session.Conn
			if greeting, err = greet(session); err != nil {
				return
			}
		}
		if _, err := client.Write(greeting); err != nil {
			return
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

// skipStartup reads the first message of a client.
func skipStartup(client net.Conn) error {
	size := make([]byte, 4)
	if _, err := io.ReadFull(client, size); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, client, int64(binary.BigEndian.Uint32(size))-4)
	return err
}

// session opens a session of the database.
func (p *proxy) session() (*pgconn.HijackedConn, error) {
	conn, err := pgconn.Connect(p.t.Context(), p.target)
	if err != nil {
		return nil, err
	}
	session, err := conn.Hijack()
	if err == nil {
		p.keep(session.Conn)
	}
	return session, err
}

// greet is what a client is told of a session when it may begin. The key that it
// could cancel with is the pooler's own.
func greet(session *pgconn.HijackedConn) (greeting []byte, err error) {
	messages := []pgproto3.BackendMessage{&pgproto3.AuthenticationOk{}}
	for name, value := range session.ParameterStatuses {
		messages = append(messages, &pgproto3.ParameterStatus{Name: name, Value: value})
	}
	messages = append(messages, &pgproto3.BackendKeyData{ProcessID: 1 << 30, SecretKey: session.SecretKey}, &pgproto3.ReadyForQuery{TxStatus: 'I'})
	for _, m := range messages {
		if greeting, err = m.Encode(greeting); err != nil {
			return nil, err
		}
	}
	return greeting, nil
}

// answer passes on what the server says up to its readiness for the next
// statement.
func answer(to io.Writer, server io.Reader) error {
	for {
		message, err := readMessage(server)
		if err != nil {
			return err
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
