package main

import (
	"errors"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"
)

// startNATS starts a NATS server on loopback.
func startNATS() (*natsserver.Server, error) {
	s, err := natsserver.NewServer(&natsserver.Options{Host: "127.0.0.1", Port: natsserver.RANDOM_PORT, NoLog: true, NoSigs: true})
	if err != nil {
		return nil, err
	}
	go s.Start()
	if !s.ReadyForConnections(5 * time.Second) {
		s.Shutdown()
		return nil, errors.New("the NATS server did not start within 5 s")
	}
	return s, nil
}
