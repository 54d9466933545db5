package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Accepts connections that begin with a header of the PROXY protocol, version 1 or 2; one without it is closed.
type proxyListener struct{ net.Listener }

func (l proxyListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &proxyConn{Conn: conn, reader: bufio.NewReader(conn)}, nil
}

// The header is read when something is first asked of the connection, so that a slow client holds up nobody else.
type proxyConn struct {
	net.Conn
	reader *bufio.Reader
	once   sync.Once
	client net.Addr
	err    error
}

func (c *proxyConn) readHeader() {
	_ = c.Conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	defer func() { _ = c.Conn.SetReadDeadline(time.Time{}) }()
	c.client, c.err = proxyHeader(c.reader)
	if c.err != nil {
		_ = c.Conn.Close()
	}
}

func (c *proxyConn) Read(into []byte) (int, error) {
	c.once.Do(c.readHeader)
	if c.err != nil {
		return 0, io.EOF // What went wrong is not for an HTTP client, which this is none of.
	}
	return c.reader.Read(into)
}

func (c *proxyConn) RemoteAddr() net.Addr {
	c.once.Do(c.readHeader)
	if c.client == nil {
		return c.Conn.RemoteAddr()
	}
	return c.client
}

const signature = "\r\n\r\n\x00\r\nQUIT\n"

// The client that a header names; none where a load balancer speaks for itself.
func proxyHeader(reader *bufio.Reader) (net.Addr, error) {
	start, err := reader.Peek(6)
	if err != nil {
		return nil, err
	}
	if string(start) == "PROXY " {
		return firstVersion(reader)
	}
	if start, err = reader.Peek(len(signature)); err != nil {
		return nil, err
	}
	if string(start) == signature {
		return secondVersion(reader)
	}
	return nil, errors.New("no header of the PROXY protocol")
}

func firstVersion(reader *bufio.Reader) (net.Addr, error) {
	line, err := reader.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	const longest = 107
	fields := strings.Fields(string(line))
	if len(fields) >= 2 && fields[1] == "UNKNOWN" && len(line) <= longest {
		return nil, nil
	}
	if len(fields) != 6 || (fields[1] != "TCP4" && fields[1] != "TCP6") || len(line) > longest {
		return nil, fmt.Errorf("header of the PROXY protocol: %q", line)
	}
	address, err := netip.ParseAddr(fields[2])
	if err != nil {
		return nil, err
	}
	port, err := strconv.ParseUint(fields[4], 10, 16)
	if err != nil {
		return nil, err
	}
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(address, uint16(port))), nil
}

func secondVersion(reader *bufio.Reader) (net.Addr, error) {
	var fixed [16]byte
	if _, err := io.ReadFull(reader, fixed[:]); err != nil {
		return nil, err
	}
	rest := make([]byte, binary.BigEndian.Uint16(fixed[14:]))
	if _, err := io.ReadFull(reader, rest); err != nil {
		return nil, err
	}
	const local, proxy, tcp4, tcp6 = 0x20, 0x21, 0x11, 0x21
	if fixed[12] == local {
		return nil, nil
	}
	sizes := map[byte]int{tcp4: 4, tcp6: 16}
	size, known := sizes[fixed[13]]
	if fixed[12] != proxy || !known || len(rest) < 2*size+4 {
		return nil, fmt.Errorf("header of the PROXY protocol: %x", fixed)
	}
	address, _ := netip.AddrFromSlice(rest[:size])
	port := binary.BigEndian.Uint16(rest[2*size:])
	return net.TCPAddrFromAddrPort(netip.AddrPortFrom(address, port)), nil
}

type peerKey struct{}

// Who is at the other end of the TCP connection, whoever the header names.
func withPeer(ctx context.Context, conn net.Conn) context.Context {
	if secured, isTLS := conn.(*tls.Conn); isTLS {
		conn = secured.NetConn()
	}
	if wrapped, isWrapped := conn.(*proxyConn); isWrapped {
		conn = wrapped.Conn
	}
	return context.WithValue(ctx, peerKey{}, conn.RemoteAddr().String())
}

func peerOf(ctx context.Context) string {
	peer, _ := ctx.Value(peerKey{}).(string)
	return peer
}
