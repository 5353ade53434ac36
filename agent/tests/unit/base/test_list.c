/*
 * Lists: order, removal while walking, and misuse.
 */
#include "aw_test.h"

#include "base/list.h"

struct item {
    int value;
    struct list link;
};

static int list_digits(const struct list *head)
{
    int digits = 0;

    LIST_FOR_EACH (node, head) {
        digits = digits * 10 + list_entry(node, struct item, link)->value;
    }
    return digits;
}

static void items_init(struct item items[3], struct list *head)
{
    list_init(head);
    for (int i = 0; i < 3; i++) {
        items[i].value = i + 1;
        list_init(&items[i].link);
    }
}

static void order_is_kept(void **state)
{
    struct item items[3];
    struct list head;

    (void)state;
    items_init(items, &head);
    assert_true(list_is_empty(&head));
    assert_null(list_first(&head));
    assert_null(list_pop_head(&head));
    list_push_tail(&head, &items[1].link);
    list_push_tail(&head, &items[2].link);
    list_push_head(&head, &items[0].link);
    assert_int_equal(list_digits(&head), 123);
    assert_ptr_equal(list_first(&head), &items[0].link);
    assert_ptr_equal(list_pop_head(&head), &items[0].link);
    assert_false(list_is_linked(&items[0].link));
    assert_int_equal(list_digits(&head), 23);
    list_push_tail(&head, &items[0].link);
    assert_int_equal(list_digits(&head), 231);
}

static void nodes_may_leave_while_walking(void **state)
{
    struct item items[3];
    struct list head;

    (void)state;
    items_init(items, &head);
    for (int i = 0; i < 3; i++) {
        list_push_tail(&head, &items[i].link);
    }
    LIST_FOR_EACH_SAFE (node, following, &head) {
        if (list_entry(node, struct item, link)->value != 2) {
            list_remove(node);
        }
    }
    assert_int_equal(list_digits(&head), 2);
    list_remove(&items[1].link);
    list_remove(&items[1].link);
    assert_true(list_is_empty(&head));
}

static void a_node_is_in_one_list_only(void **state)
{
    struct item items[3];
    struct list head;
    struct list other;

    (void)state;
    items_init(items, &head);
    list_init(&other);
    list_push_tail(&head, &items[0].link);
    EXPECT_ASSERT(list_push_tail(&other, &items[0].link));
    EXPECT_ASSERT(list_push_head(&head, &items[0].link));
    assert_int_equal(list_digits(&head), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_is_kept),
        cmocka_unit_test(nodes_may_leave_while_walking),
        cmocka_unit_test(a_node_is_in_one_list_only),
    };

    aw_test_catch_asserts();
    return cmocka_run_group_tests_name("base/list", tests, NULL, NULL);
}
