package e2e

import (
	"context"
	"encoding/base64"
	"fmt"
	"testing"

	"golang.org/x/crypto/argon2"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/postgres"
)

// withAdmin is a database in which the administrator has an account already, as all starts of
// a server but the first find it. Its password's hash was made with the least work, which is
// then also the work to check it: a quarter of the processor time of these tests was that.
var withAdmin = pgtest.NewTemplate(func(ctx context.Context, dsn string) error {
	db, err := postgres.Open(ctx, postgres.Config{DSN: dsn, JobConns: 1, GraphConns: 1, AuthConns: 1})
	if err != nil {
		return err
	}
	defer db.Close()
	const memoryKiB, passes, threads, keyBytes = 8, 1, 1, 32
	salt := []byte("salt of the test")
	key := argon2.IDKey([]byte(testPassword), salt, passes, memoryKiB, threads, keyBytes)
	hash := fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version, memoryKiB, passes, threads,
		base64.RawStdEncoding.EncodeToString(salt), base64.RawStdEncoding.EncodeToString(key))
	admin := access.User{ID: access.AdminUserID, Username: access.AdminUsername, Role: access.RolePlatformAdmin}
	_, err = db.Accounts().CreateFirstUser(ctx, admin, hash)
	return err
})

// newDSN is the address of a database of the test's own, with an administrator.
func newDSN(t *testing.T) string {
	t.Helper()
	return withAdmin.NewDSN(t)
}
