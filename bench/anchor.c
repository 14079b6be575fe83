/* Whole games of Écarté, the rule of thumb against itself, in plain C: a reference for the speed
   of our compiled games. Only games to five points by the strict laws, the first dealer by lot;
   no other laws or bots, and no records.

   anchor GAMES SEED  prints: seconds, games the first dealer won, deals, kings announced.

   A card is 8 * suit + rank, suits S H D C, ranks 7 8 9 T A J Q K; a hand is a set of bits. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef uint32_t Set;

static uint64_t state;

static uint32_t below(uint32_t ways)
{
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    return (uint32_t)(((z >> 32) * ways) >> 32);
}

static int count(Set cards) { return __builtin_popcount(cards); }
static int lowest(Set cards) { return __builtin_ctz(cards); }
static int highest(Set cards) { return 31 - __builtin_clz(cards); }
static Set of_suit(Set hand, int suit) { return hand & 255u << 8 * suit; }

static int deck[32], drawn;

static Set draw(int number)
{
    Set cards = 0;
    while (number--) {
        int other = drawn + (int)below((uint32_t)(32 - drawn));
        int card = deck[other];
        deck[other] = deck[drawn];
        deck[drawn++] = card;
        cards |= 1u << card;
    }
    return cards;
}

static int in_table(Set hand, int trumps)
{
    int number = count(of_suit(hand, trumps));
    int kings = 0, courts = 0, voids = 0, guarded = 0, thirds = 0, three = 0, tops = 0;
    if (number >= 3) return 1;
    for (int suit = 0; suit < 4; suit++) {
        Set cards = of_suit(hand, suit) >> 8 * suit;
        int length = count(cards);
        kings += cards >> 7 & 1;
        courts += count(cards & 0xC0);
        if (suit == trumps) continue;
        voids += length == 0;
        three += length >= 3;
        if (cards & 0x40) {
            guarded += length >= 2;
            thirds += length >= 3;
        }
        tops += (cards & 0xE0) == 0xE0;
    }
    if (number == 2) return (kings && voids) || guarded || three;
    if (number == 1) return tops || thirds || guarded >= 2;
    return courts >= 4;
}

static int refuses(Set hand, int trumps)
{
    if (in_table(hand, trumps)) return 1;
    if (count(of_suit(hand, trumps)) != 2) return 0;
    for (int suit = 0; suit < 4; suit++)
        if (suit != trumps && count(of_suit(hand, suit)) >= 2) return 1;
    return 0;
}

/* The card to give up first: plain before trumps, low ranks, short suits, C to S. */
static int worst(Set cards, Set hand, int trumps)
{
    int best = -1, worth = 1 << 20;
    for (Set left = cards; left; left &= left - 1) {
        int card = lowest(left), suit = card >> 3;
        int keep = (suit == trumps) << 16 | (card & 7) << 8 | count(of_suit(hand, suit)) << 2 | (3 - suit);
        if (keep < worth) worth = keep, best = card;
    }
    return best;
}

static Set discards(Set hand, int trumps, int limit)
{
    Set wanted = hand & ~(255u << 8 * trumps) & ~0x80808080u, given = 0;
    if (!wanted) {
        if (!limit) return 0;
        return 1u << worst(hand, hand, trumps);
    }
    if (count(wanted) <= limit) return wanted;
    while (limit--) given |= 1u << worst(wanted & ~given, hand, trumps);
    return given;
}

static int lead(Set hand, int trumps)
{
    Set mine = of_suit(hand, trumps);
    int best = -1, worth = -1;
    if (mine == hand || count(mine) >= 3) return highest(mine);
    for (int suit = 0; suit < 4; suit++) {
        Set cards = of_suit(hand, suit);
        if (suit == trumps || !cards) continue;
        int value = count(cards) << 8 | (highest(cards) & 7) << 2 | (3 - suit);
        if (value > worth) worth = value, best = highest(cards);
    }
    return best;
}

static int reply(Set hand, int led, int trumps)
{
    Set follow = of_suit(hand, led >> 3);
    if (follow) {
        Set higher = follow & -(2u << led);
        return lowest(higher ? higher : follow);
    }
    Set ruff = of_suit(hand, trumps);
    if (ruff) return lowest(ruff);
    int best = -1, worth = 1 << 20;
    for (Set left = hand; left; left &= left - 1) {
        int card = lowest(left);
        int value = (card & 7) << 8 | count(of_suit(hand, card >> 3)) << 2 | card >> 3;
        if (value < worth) worth = value, best = card;
    }
    return best;
}

static long deals, kings;

/* One deal; score[0] is the elder's, score[1] the dealer's. */
static void deal(int score[2])
{
    Set hands[2];
    int exchanged = 0, vulnerable = -1, tricks[2] = {0, 0}, leader = 0;
    for (int card = 0; card < 32; card++) deck[card] = card;
    drawn = 0;
    deals++;
    hands[0] = draw(3), hands[1] = draw(3), hands[0] |= draw(2), hands[1] |= draw(2);
    int turned = lowest(draw(1)), trumps = turned >> 3;
    if ((turned & 7) == 7 && ++score[1] == 5) return;
    while (drawn < 32) {
        if (in_table(hands[0], trumps)) {
            if (!exchanged) vulnerable = 0;
            break;
        }
        if (refuses(hands[1], trumps)) {
            if (!exchanged) vulnerable = 1;
            break;
        }
        exchanged = 1;
        for (int role = 0; role < 2; role++) {
            int left = 32 - drawn;
            Set given = discards(hands[role], trumps, left < 5 ? left : 5);
            hands[role] = (hands[role] & ~given) | draw(count(given));
        }
    }
    for (int trick = 0; trick < 5; trick++) {
        int other = 1 - leader;
        if (!trick && hands[leader] >> (8 * trumps + 7) & 1) {
            kings++;
            if (++score[leader] == 5) return;
        }
        int led = lead(hands[leader], trumps);
        if (!trick && hands[other] >> (8 * trumps + 7) & 1) {
            kings++;
            if (++score[other] == 5) return;
        }
        int answer = reply(hands[other], led, trumps);
        hands[leader] ^= 1u << led;
        hands[other] ^= 1u << answer;
        if (answer >> 3 == led >> 3 ? answer > led : answer >> 3 == trumps) leader = other;
        tricks[leader]++;
    }
    int winner = tricks[1] > tricks[0];
    score[winner] += vulnerable == 1 - winner || (tricks[winner] == 5 && exchanged) ? 2 : 1;
    if (score[winner] > 5) score[winner] = 5;
}

int main(int argc, char **argv)
{
    long games = argc > 1 ? atol(argv[1]) : 1000000, won = 0;
    state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    clock_t start = clock();
    for (long game = 0; game < games; game++) {
        int points[2] = {0, 0}, dealer = 0;
        while (points[0] < 5 && points[1] < 5) {
            int score[2] = {points[1 - dealer], points[dealer]};
            deal(score);
            points[1 - dealer] = score[0], points[dealer] = score[1];
            dealer = 1 - dealer;
        }
        won += points[0] == 5;
    }
    printf("%.6f %ld %ld %ld\n", (double)(clock() - start) / CLOCKS_PER_SEC, won, deals, kings);
    return 0;
}
