package setup

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/internal/llm"
)

// all asks the five questions.
func (d *dialogue) all(ctx context.Context, a *answers) error {
	for _, ask := range []func(context.Context, *answers) error{d.dataDir, d.database, d.model, d.address, d.account} {
		if err := ask(ctx, a); err != nil {
			return err
		}
	}
	return nil
}

func (d *dialogue) dataDir(_ context.Context, a *answers) (err error) {
	d.title(1, "Where does data live?")
	a.DataDir, err = d.until("Folder", a.DataDir, checkDataDir)
	return err
}

func (d *dialogue) database(ctx context.Context, a *answers) (err error) {
	d.title(2, "Which database? own: a private PostgreSQL that kg serve starts; or the address of one that runs.")
	for {
		if a.Database, err = d.line("own, or postgres://user:password@host:5432/name", ownDatabase); err != nil {
			return err
		}
		note, err := checkDatabase(ctx, a.Database, d.pgBin)
		if err == nil {
			d.right(note)
			return nil
		}
		d.wrong(err)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if use, err := d.yes("Use it all the same?", false); err != nil || use {
			return err
		}
	}
}

func (d *dialogue) model(ctx context.Context, a *answers) (err error) {
	d.title(3, "What reads documents? local: built-in rules, free and on this machine; or a provider of models.")
	a.Model, err = d.until(strings.Join(providers(), ", "), localModel, func(answer string) error {
		if slices.Contains(providers(), answer) {
			return nil
		}
		return fmt.Errorf("answer one of %s", strings.Join(providers(), ", "))
	})
	if err != nil || a.Model == localModel {
		return err
	}
	if a.Model == llm.Ollama {
		if a.ModelURL, err = d.line("Where Ollama is", llm.DefaultOllamaURL); err != nil {
			return err
		}
	}
	for a.Model != llm.Ollama && a.ModelKey == "" {
		if a.ModelKey, err = d.secret("Its key"); err != nil {
			return err
		}
	}
	try, err := d.yes("Make a small call now, to see whether it answers?", false)
	if err != nil || !try {
		return err
	}
	if err := a.callModel(ctx); err != nil {
		d.wrong(fmt.Errorf("%w; the settings can be changed later", err))
		return nil
	}
	d.right("it answers")
	return nil
}

func (d *dialogue) address(ctx context.Context, a *answers) (err error) {
	d.title(4, "Where does the server listen? 127.0.0.1 is for this machine alone, 0.0.0.0 for others too.")
	if a.Address, err = d.until("host:port", a.Address, func(answer string) error { return checkAddress(ctx, answer) }); err != nil || ofThisMachine(a.Address) {
		return err
	}
	fmt.Fprintln(d.cfg.Out, "  Others reach it, so passwords have to be encrypted on their way.\n"+
		"  files: a certificate of yours; acme: the server gets one for a public name; none: a proxy in front does it.")
	if a.TLS, err = d.until("files, acme or none", tlsFiles, func(answer string) error {
		if slices.Contains([]string{tlsFiles, tlsACME, tlsNone}, answer) {
			return nil
		}
		return errors.New("answer files, acme or none")
	}); err != nil {
		return err
	}
	return d.encryption(a)
}

// encryption asks for what the way of encrypting needs.
func (d *dialogue) encryption(a *answers) (err error) {
	for a.TLS == tlsFiles {
		if a.TLSCert, err = d.line("File with the certificate", a.TLSCert); err == nil {
			a.TLSKey, err = d.line("File with its key", a.TLSKey)
		}
		if err != nil {
			return err
		}
		if err = a.checkTLS(); err == nil {
			return nil
		}
		d.wrong(err)
	}
	if a.TLS == tlsACME {
		if a.ACMEDomains, err = d.until("Public name of this server, which is reached at port 443", "", func(answer string) error {
			if strings.Count(answer, ".") == 0 {
				return errors.New("it must be a public name, as kappa.example.com")
			}
			return nil
		}); err == nil {
			a.ACMEEmail, err = d.line("Address that the authority may write to, or nothing", "")
		}
	}
	return err
}

func (d *dialogue) account(_ context.Context, a *answers) (err error) {
	d.title(5, "The password of the account admin? With nothing the first start makes one, and shows it once.")
	for {
		if a.AdminPassword, err = d.secret("Password"); err != nil {
			return err
		}
		if err = a.checkPassword(); err == nil {
			return nil
		}
		d.wrong(err)
	}
}

// checkAll returns everything that is wrong with answers that nobody was asked for.
func (a *answers) checkAll(ctx context.Context, pgBin string) error {
	var broken []error
	add := func(name string, err error) {
		if err != nil {
			broken = append(broken, fmt.Errorf("%s: %w", name, err))
		}
	}
	add("data_dir", checkDataDir(a.DataDir))
	_, err := checkDatabase(ctx, a.Database, pgBin)
	add("database", err)
	err = a.checkModel()
	if err == nil && a.CheckModel && a.Model != localModel {
		err = a.callModel(ctx)
	}
	add("model", err)
	add("address", checkAddress(ctx, a.Address))
	add("tls", a.checkTLS())
	add("admin_password", a.checkPassword())
	if len(broken) == 0 {
		return nil
	}
	return exit.Usage("the answers do not do here:\n  %s", strings.ReplaceAll(errors.Join(broken...).Error(), "\n", "\n  "))
}
