/*
 * The answers of the enrolment's HTTP client: whole ones are read, everything else is refused.
 */
#include <string.h>

#include "aw_test.h"
#include "uplink/http_client.h"

static struct http_answer answer;

static int parse(const char *text)
{
    char *copy = strdup(text); /* so that reading beyond the end is noticed */
    int error = http_answer_parse(copy, strlen(copy), &answer);

    free(copy);
    return error;
}

static void test_whole_answers(void **state UNUSED)
{
    static const struct {
        const char *text;
        uint32_t status;
        const char *body;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}", 200, "{}"},
        {"HTTP/1.1 200 OK\r\ncontent-length:  2 \r\n\r\n{}rest", 200, "{}"},
        {"HTTP/1.0 403 Forbidden\r\n\r\nuntil the end", 403, "until the end"},
        {"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", 404, ""},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\nA;x=y\r\n0123456789\r\n"
         "0\r\n\r\n",
         200, "ab0123456789"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(parse(cases[i].text), 0);
        assert_int_equal(answer.status, cases[i].status);
        assert_string_equal(answer.body, cases[i].body);
        assert_int_equal(answer.bytes, strlen(cases[i].body));
    }
}

static void test_date(void **state UNUSED)
{
    assert_int_equal(parse("HTTP/1.1 200 OK\r\nDate: Sat, 28 Nov 2026 12:00:01 GMT\r\n"
                           "Content-Length: 0\r\n\r\n"),
                     0);
    assert_int_equal(answer.date_s, 1795867201);
    assert_int_equal(parse("HTTP/1.1 200 OK\r\nDate: yesterday\r\nContent-Length: 0\r\n\r\n"), 0);
    assert_int_equal(answer.date_s, 0);
    assert_int_equal(parse("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), 0);
    assert_int_equal(answer.date_s, 0);
}

static void test_broken_answers(void **state UNUSED)
{
    static const char *const cases[] = {
        "",
        "\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n\r\n",
        "HTTP/2 200\r\n\r\n",
        "HTTP/1.1 2x0 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 2x\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nab\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nab\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (parse(cases[i]) != -EBADMSG) {
            fail_msg("accepted: %s", cases[i]);
        }
    }
}

static void test_endless_body(void **state UNUSED)
{
    static char text[HTTP_ANSWER_MAX_BYTES + 200] = "HTTP/1.1 200 OK\r\n\r\n";

    memset(text + strlen(text), 'x', sizeof(text) - strlen(text) - 1);
    assert_int_equal(parse(text), -EBADMSG);
}

/* Every beginning of a good answer is either refused or the answer so far. */
static void test_every_truncation(void **state UNUSED)
{
    static const char whole[] = "HTTP/1.1 200 OK\r\nX: y\r\nTransfer-Encoding: chunked\r\n\r\n"
                                "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n";
    char part[sizeof(whole)];

    for (size_t bytes = 0; bytes < sizeof(whole) - 5; bytes++) {
        memcpy(part, whole, bytes);
        part[bytes] = '\0';
        assert_int_equal(parse(part), -EBADMSG);
    }
    assert_int_equal(parse(whole), 0);
    assert_string_equal(answer.body, "hello world");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole_answers),    cmocka_unit_test(test_date),
        cmocka_unit_test(test_broken_answers),   cmocka_unit_test(test_endless_body),
        cmocka_unit_test(test_every_truncation),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
