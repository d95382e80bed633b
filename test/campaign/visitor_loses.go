package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// lose takes the right of the principal, and reports whether it is known that
// this was committed. The answers of the servers do not matter: they may be lost.
func (v *visitor) lose(ctx context.Context) bool {
	for {
		err := v.loseOnce(ctx)
		if err != nil {
			v.crowd.log.DebugContext(ctx, "a right is not taken yet", "visit", v.number, "right", v.loses, "err", err)
		}
		lost, err := v.hasLost(ctx)
		if lost && err == nil {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.knownAt = time.Now()
			return true
		}
		if !pause(ctx, storeRetry) {
			return false
		}
	}
}

// loseOnce tries to take the right, over a server where the product has a route
// for it.
func (v *visitor) loseOnce(ctx context.Context) error {
	callCtx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	ofClient := "/auth/oauth/clients/personal/" + v.creds.ClientID
	switch v.loses {
	case endOfToken:
		return v.call(callCtx, http.MethodPost, "/auth/oauth/revoke", url.Values{"token": {v.token}})
	case endOfClient:
		return v.call(callCtx, http.MethodDelete, ofClient, nil)
	case endOfSecret:
		return v.call(callCtx, http.MethodPost, ofClient+"/rotate-secret", nil)
	case endOfUser:
		return execute(callCtx, v.crowd.dsn, "UPDATE kg_api.users SET disabled = true WHERE id = $1", v.user)
	default:
		return execute(callCtx, v.crowd.dsn, "UPDATE kg_api.users SET role = $2 WHERE id = $1", v.user, contributor)
	}
}

// hasLost asks the database whether the right has ended.
func (v *visitor) hasLost(ctx context.Context) (lost bool, err error) {
	callCtx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	err = connected(callCtx, v.crowd.dsn, func(ctx context.Context, conn *pgx.Conn) error {
		return conn.QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM campaign.revocations r WHERE r.kind = $1 AND r.subject = $2)",
			string(v.loses), v.subject).Scan(&lost)
	})
	return lost, err
}

// call sends a request with the principal's token to a server.
func (v *visitor) call(ctx context.Context, method, path string, form url.Values) error {
	s := v.crowd.servers[v.r.IntN(len(v.crowd.servers))]
	if s.address() == "" {
		return fmt.Errorf("server %d is not ready", s.index)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.address()+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+v.token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := v.crowd.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	if err == nil && resp.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("server %d answers %s", s.index, resp.Status)
	}
	return err
}

// execute runs a statement on a connection of its own.
func execute(ctx context.Context, dsn, sql string, args ...any) error {
	return connected(ctx, dsn, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, sql, args...)
		return err
	})
}

// connected calls f with a connection of its own.
func connected(ctx context.Context, dsn string, f func(context.Context, *pgx.Conn) error) error {
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	return f(ctx, conn)
}
