import json, pytest
from tests.api.asking import *
from django.test import Client
pytestmark = pytest.mark.django_db
M = b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nabc def\r\n--x--\r\n'
@pytest.mark.parametrize("cs", ["rot13","base64","zlib","undefined","idna","punycode","utf-16","unicode_escape","hex","mbcs","bz2", "utf-7", "raw_unicode_escape", "'", "\x00", "utf_8_sig"])
@pytest.mark.parametrize("kind", ["multipart/form-data; boundary=x; charset=%s", "application/json; charset=%s", "application/x-www-form-urlencoded; charset=%s", "text/plain; charset=%s"])
@pytest.mark.parametrize("strict", [0, 1])
def test_cs(settings, kind, cs, strict):
    settings.NEARDUP = {"default": {**settings.NEARDUP["default"], "THROTTLE": None}}
    c = Client(enforce_csrf_checks=bool(strict))
    for b in (M, b'{"text":"a"}', b"", b"text=%ff%00&pk=%00", b"a&b;c=d"):
        r = c.post(address(), b, content_type=kind % cs)
        assert r.status_code in ((200, 400) if not strict else (403, 400)), r
MULTI = [
 b'--x\r\nContent-Disposition: form-data; name="text"; filename="<b>.html"\r\nContent-Type: text/html\r\n\r\nabc\r\n--x--\r\n',
 b'--x\r\nContent-Disposition: form-data; name="text"\r\nContent-Transfer-Encoding: base64\r\n\r\n@@@@\r\n--x--\r\n',
 b'--x\r\nContent-Disposition: form-data; name*=utf-8\'\'%ff\r\n\r\nabc\r\n--x--\r\n',
 b'--x\r\nContent-Disposition: form-data; name*=rot13\'\'abc\r\n\r\nabc\r\n--x--\r\n',
 b'--x\r\nContent-Disposition: form-data; filename*=base64\'\'abc; name=text\r\n\r\nabc\r\n--x--\r\n',
 b'--x\r\nContent-Disposition: form-data; name*=bogus\'\'abc\r\n\r\nabc\r\n--x--\r\n',
 b'--x\r\nContent-Type: text/plain; charset=rot13\r\nContent-Disposition: form-data; name="text"\r\n\r\nabc\r\n--x--\r\n',
 b'--x\r\n' + b'A: b\r\n'*5000 + b'\r\nabc\r\n--x--\r\n',
 b'--x\r\n\r\n' * 5000 + b'--x--',
]
@pytest.mark.parametrize("n", range(len(MULTI)))
def test_multi(client, n):
    r = client.post(address(), MULTI[n], content_type="multipart/form-data; boundary=x")
    assert r.status_code in (200, 400), r
@pytest.mark.parametrize("bd", ["", "\xff", "x"*5000, '"', "é", "a b"])
def test_bd(client, bd):
    r = client.post(address(), MULTI[0], content_type=f"multipart/form-data; boundary={bd}")
    assert r.status_code in (200, 400), r
@pytest.mark.parametrize("a", ["text/html;q=abc", "text/html;q=nan, application/json;q=inf", ";;;", "/", "text/", "*", "text/html"*3000, "text/html;q=0, application/json;q=0", "\x00"])
def test_accept(client, a):
    assert client.post(address(), {}, headers={"Accept": a}).status_code == 200
def test_get_pages(client):
    a, b = indexed(post(), post())
    for pg in ["", "0", "-1", "9"*5000, "1.5", "x", "\x00", "%ff", "١", "1e5", "inf"]:
        r = client.get(f"/similar/api/similar/testapp.ad/{a.pk}/?page={pg}")
        assert r.status_code == 200, pg
    for m in ("head", "options", "put", "delete", "patch"):
        print(m, getattr(client, m)(f"/similar/api/similar/testapp.ad/{a.pk}/").status_code, getattr(client, m)(address()).status_code)
    for l in ("testapp.author", "testapp.articleproxy", "testapp.longarticle", "neardup.document", "x", "TESTAPP.AD", "testapp.ad\x00", "auth.user"):
        print(l, client.get(f"/similar/api/similar/{l}/1/").status_code, client.post(f"/similar/api/check/{l}/", {}).status_code)
