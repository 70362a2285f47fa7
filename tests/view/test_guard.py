"""Only requests with the secret, sent to this computer by the page itself, are accepted."""

import pytest

from carom.view.guard import Forbidden, Guard

PORT = 8080
OWN = [f"127.0.0.1:{PORT}"]


@pytest.fixture
def guard():
    return Guard()


@pytest.mark.parametrize("rest", ["", "/", "/studio.js", "/run/1/page"])
def test_the_path_below_the_secret_is_returned(guard, rest):
    for hosts, origins in ((OWN, []), ([f"localhost:{PORT}"], [f"http://localhost:{PORT}"])):
        assert guard.path(PORT, f"/{guard.secret}{rest}?a=/b", hosts, origins) == rest


@pytest.mark.parametrize(("hosts", "origins"), [
    ([], []), (["example.org:8080"], []), (["127.0.0.1"], []), (["127.0.0.1:8081"], []), (OWN * 2, []),
    (OWN, ["http://example.org"]), (OWN, ["null"]), (OWN, [""]), (OWN, [f"https://{OWN[0]}"]),
    (OWN, [f"http://localhost:{PORT}"]), (OWN, [f"http://{OWN[0]}"] * 2), (OWN, ["http://127.0.0.1:8081"]),
])  # fmt: skip
def test_other_hosts_and_origins_are_rejected_even_with_the_secret(guard, hosts, origins):
    with pytest.raises(Forbidden):
        guard.path(PORT, f"/{guard.secret}/", hosts, origins)


@pytest.mark.parametrize("target", ["", "/", "//", "*", "/?{s}", "/x/{s}/", "//{s}/", "/{s}x/", "/{s}%2f", "/é\udc80"])
def test_requests_without_the_secret_are_rejected(guard, target):
    with pytest.raises(Forbidden, match="secret"):
        guard.path(PORT, target.format(s=guard.secret), OWN, [])


def test_an_entry_is_valid_for_one_request(guard):
    entry = guard.entry(PORT).removeprefix(f"http://127.0.0.1:{PORT}")
    assert guard.secret not in entry
    assert guard.path(PORT, entry, OWN, []) is None
    with pytest.raises(Forbidden):
        guard.path(PORT, entry, OWN, [])


def test_port_80_is_omitted_from_the_host(guard):
    assert guard.path(80, f"/{guard.secret}/", ["localhost"], ["http://localhost"]) == "/"


def test_secrets_differ():
    assert len({Guard().secret for _ in range(100)}) == 100
