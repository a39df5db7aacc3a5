//! Values that may be written short: a number or a range, a text or a list, a text or a map. The
//! kind of the value tells which, so that a wrong one is reported where it stands.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::action::{Action, Hang, LimitReport, LoginReport, Nothing};

/// A number, or a range of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    One(u32),
    Range(NumberRange),
}

/// Both ends count; an end that is absent is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NumberRange {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<u32>,
}

impl Numbers {
    pub fn contains(self, number: u32) -> bool {
        match self {
            Self::One(one) => one == number,
            Self::Range(NumberRange { from, to }) => {
                from.is_none_or(|from| from <= number) && to.is_none_or(|to| number <= to)
            }
        }
    }
}

impl fmt::Display for Numbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = |number: Option<u32>| number.map(|number| number.to_string()).unwrap_or_default();
        match self {
            Self::One(one) => write!(f, "{one}"),
            Self::Range(NumberRange { from, to }) => write!(f, "{}-{}", end(*from), end(*to)),
        }
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(one) => one.serialize(serializer),
            Self::Range(range) => range.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Numbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbered;
        impl<'de> Visitor<'de> for Numbered {
            type Value = Numbers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a range")
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Numbers, E> {
                u32::try_from(number)
                    .map(Numbers::One)
                    .map_err(|_| E::custom("the number is too large"))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Numbers, E> {
                u64::try_from(number)
                    .map_err(|_| E::custom("the number is negative"))
                    .and_then(|number| self.visit_u64(number))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Numbers, A::Error> {
                NumberRange::deserialize(MapAccessDeserializer::new(map)).map(Numbers::Range)
            }
        }
        deserializer.deserialize_any(Numbered)
    }
}

impl JsonSchema for Numbers {
    fn schema_name() -> Cow<'static, str> {
        "Numbers".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let range = generator.subschema_for::<NumberRange>();
        json_schema!({ "anyOf": [
            { "type": "integer", "format": "uint32", "minimum": 0 },
            range,
        ] })
    }
}

/// One text, or a list of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Texts(pub Vec<String>);

impl Serialize for Texts {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            list => list.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Listed;
        impl<'de> Visitor<'de> for Listed {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text or a list of texts")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Texts, E> {
                Ok(Texts(vec![text.to_owned()]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Texts, A::Error> {
                let mut texts = Vec::new();
                while let Some(text) = items.next_element()? {
                    texts.push(text);
                }
                Ok(Texts(texts))
            }
        }
        deserializer.deserialize_any(Listed)
    }
}

impl JsonSchema for Texts {
    fn schema_name() -> Cow<'static, str> {
        "Texts".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            { "type": "string" },
            { "type": "array", "items": { "type": "string" } },
        ] })
    }
}

/// A value with a short form: one text says enough.
pub trait Short: Sized {
    fn from_text(text: &str) -> Self;
    /// The short form, where it says everything.
    fn as_text(&self) -> Option<&str>;
}

/// A map, or the text that is short for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shortened<T>(pub T);

impl<T: Short + Serialize> Serialize for Shortened<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_text() {
            Some(text) => text.serialize(serializer),
            None => self.0.serialize(serializer),
        }
    }
}

impl<'de, T: Short + Deserialize<'de>> Deserialize<'de> for Shortened<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextOrMap(PhantomData)).map(Self)
    }
}

impl<T: JsonSchema> JsonSchema for Shortened<T> {
    fn schema_name() -> Cow<'static, str> {
        format!("Short{}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let full = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": "string" }, full] })
    }
}

struct TextOrMap<T>(PhantomData<T>);

impl<'de, T: Short + Deserialize<'de>> Visitor<'de> for TextOrMap<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a map")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        Ok(T::from_text(text))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

/// An action as a list has it: a map, or a word where there is nothing more to say.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub(super) struct ActionOrWord(Action);

const WORDS: [&str; 4] = ["crash", "hang", "limit", "login"];

impl<'de> Deserialize<'de> for ActionOrWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Actions;
        impl<'de> Visitor<'de> for Actions {
            type Value = Action;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an action")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<Action, E> {
                let mut action = Action::default();
                match word {
                    "crash" => action.crash = Some(Nothing {}),
                    "hang" => action.hang = Some(Hang::default()),
                    "limit" => action.limit = Some(Shortened(LimitReport::default())),
                    "login" => action.login = Some(Shortened(LoginReport::default())),
                    _ => return Err(E::unknown_variant(word, &WORDS)),
                }
                Ok(action)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Action, A::Error> {
                Action::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(Actions).map(Self)
    }
}

impl JsonSchema for ActionOrWord {
    fn schema_name() -> Cow<'static, str> {
        "ActionOrWord".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let full = generator.subschema_for::<Action>();
        json_schema!({ "anyOf": [full, { "type": "string", "enum": WORDS }] })
    }
}

pub(super) mod actions {
    //! Lists of actions, some of them words.
    use super::{Action, ActionOrWord, Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(list: &[Action], to: S) -> Result<S::Ok, S::Error> {
        list.serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Action>, D::Error> {
        let list = Vec::<ActionOrWord>::deserialize(from)?;
        Ok(list.into_iter().map(|ActionOrWord(action)| action).collect())
    }
}
